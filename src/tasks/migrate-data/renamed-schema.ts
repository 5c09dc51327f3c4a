import { Stages } from '../../workflows/fields/task-schema.js';
import { type MatchedRows } from '../../workflows/model/changed-definition.js';
import { type WorkflowDefinition } from '../../workflows/model/definition.js';
import { FieldEntity } from '../../workflows/model/entities/field.entity.js';
import { StageEntity } from '../../workflows/model/entities/stage.entity.js';
import { type Workflow } from '../../workflows/model/workspace.js';

export function renamedSchema(
  { schema }: Workflow,
  definition: WorkflowDefinition,
  matches: MatchedRows,
): Workflow['schema'] {
  const byName = definition.fields.flatMap((element) => {
    const property = schema.byName.get(matches.rowOf(FieldEntity, element)?.name ?? '');
    return property ? [[element.name, property] as const] : [];
  });
  const known = schema.stages.all;
  const named = new Map(
    definition.stages.map((element) => [matches.rowOf(StageEntity, element)?.id, element]),
  );
  const stages = known.map((each) => {
    const { name, end } = named.get(each.id) ?? { name: each.name, end: each.isEnd };
    return { ...each, name, isEnd: end };
  });
  return { ...schema, byName: new Map(byName), stages: new Stages(stages, schema.stages.initial) };
}
