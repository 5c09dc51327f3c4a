import { type WayOfChange } from '../../fields/task-schema.js';
import { RelationshipEntity } from '../entities/relationship.entity.js';
import { isNumbered, storageOf } from '../../fields/field-types.js';
import { type Report, type WorkspaceScope } from '../check/kit.js';
import { kind } from '../kind.js';
import { relationship, type RelationshipEnd } from '../relationship-definition.js';
import { listSetting } from '../schema-parts.js';
import { checkKey } from './fields.kind.js';

export const relationships = kind({
  name: 'relationship',
  list: 'relationships',
  of: 'workspace',
  key: ['id'],
  schema: listSetting(relationship, {
    title: 'Relationships',
    description: 'Links between the tasks of two workflows, or within one workflow; identified by id.',
    maxItems: 1000,
  }),
  rows: {
    entity: RelationshipEntity,
    spec: ({ id, kind: of, ...ends }: RelationshipEntity, nameOf) => ({
      id,
      kind: of,
      from: endOf(nameOf('workflow', ends.fromWorkflowId), ends.fromName, ends.fromChange),
      to: endOf(nameOf('workflow', ends.toWorkflowId), ends.toName, ends.toChange),
    }),
    columns: ({ id, kind: of, from, to }, idOf) => ({
      id,
      kind: of,
      fromWorkflowId: idOf('workflow', from.workflow),
      fromName: from.name,
      fromChange: from.change ?? 'freely',
      toWorkflowId: idOf('workflow', to.workflow),
      toName: to.name,
      toChange: to.change ?? 'freely',
    }),
  },
  check({ from, to }, within, report) {
    for (const end of [from, to]) checkEnd(end, within, report);
  },
});

const endOf = (workflow: string, name: string, change: WayOfChange): RelationshipEnd => ({
  workflow,
  name,
  ...(change === 'by_actions' && { change }),
});

function checkEnd(end: RelationshipEnd, { workflows }: WorkspaceScope, report: Report): void {
  const workflow = workflows.get(end.workflow)?.workflow;
  if (!workflow) return;
  checkKey(end, end.name, report);
  const uniqueId = workflow.fields.find(({ type }) => storageOf(type) === 'column');
  if (!uniqueId) report(end, 'workflow', `has no Unique ID: ${end.workflow}`);
  else if (!uniqueId.required && !isNumbered(uniqueId))
    report(end, 'workflow', `has a Unique ID that is neither required nor autoincrement: ${end.workflow}`);
}
