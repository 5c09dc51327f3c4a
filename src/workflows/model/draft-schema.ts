import { compileSchema } from '../fields/compile-schema.js';
import { type LinkSource } from '../fields/properties/link.js';
import { Stages, type TaskSchema } from '../fields/task-schema.js';
import { foundOnce, type WorkflowScope } from './check/kit.js';
import { listIn } from './list-in.js';
import { type RelationshipEnd, sidesOfEnds } from './relationship-definition.js';

/** Compiles the schema of the tasks of a workflow from a definition instead of stored rows. */
export const draftSchema = foundOnce((scope: WorkflowScope): TaskSchema => {
  const { workspace, workflow } = scope;
  const { id, search = false, fields } = workflow;
  const stages = workflow.stages.map(({ name, end, outcome = 'done', enter }, at) => ({
    id: at,
    name,
    isEnd: end,
    outcome,
    enter,
    settings: {},
  }));
  const [first] = stages;
  const initial = stages[workflow.stages.findIndex((stage) => stage.initial)] ?? first;
  if (!initial) throw new Error('a workflow without stages was passed');
  return compileSchema({
    workflow: id,
    search,
    stages: new Stages(stages, initial),
    fields: fields.map((field) => {
      const { name, type, required, editable, was: _was, ...settings } = field;
      return { id: workspace.idOf(field) ?? name, name, type, required, editable, settings };
    }),
    deadlines: deadlinesOf(workflow),
    links: linksOf(scope),
    users: workspace.users,
    taskUrl: '',
  });
});

function linksOf({ workspace: { definition, workflows, idOf }, workflow }: WorkflowScope): LinkSource[] {
  const ids = [...workflows.keys()];
  const endOf = ({ name, workflow }: RelationshipEnd) => ({
    name,
    workflow,
    workflowId: ids.indexOf(workflow),
  });
  const sides = definition.relationships.flatMap((each) => {
    const of = { relationshipId: idOf(each) ?? each.id, kind: each.kind, isByActions: false };
    return sidesOfEnds(of, endOf(each.from), endOf(each.to));
  });
  return sides.flatMap(({ workflowId, link }) => {
    const far = workflows.get(link.otherWorkflow);
    return far && ids[workflowId] === workflow.id ? [{ link, other: () => draftSchema(far) }] : [];
  });
}

/** The ids of the clocks of a workflow. Queries and expressions name deadlines by these ids. */
export const deadlinesOf = (workflow: object): string[] =>
  listIn(workflow, 'clocks').flatMap((clock) =>
    'id' in clock && typeof clock.id === 'string' ? clock.id : [],
  );
