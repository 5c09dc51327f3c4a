import { type WorkspaceRows } from './workspace-rows.js';
import { type RelationshipEntity } from '../entities/relationship.entity.js';
import { type StageEntity } from '../entities/stage.entity.js';
import { type WorkflowEntity } from '../entities/workflow.entity.js';
import { compileSchema } from '../schema/compile-schema.js';
import { type Link, type TaskSchema, Stages } from '../schema/task-schema.js';
import { UserDirectory } from '../schema/users.js';
import { type Workflow, type Workspace } from './workspace.js';

/** Compiles a stored definition; `taskUrl` is the template of `Task URL`. */
export function compileWorkspace(rows: WorkspaceRows, taskUrl: string): Workspace {
  const { id, slug, name, version, cursorKey, timezone } = rows.workspace;
  const users = new UserDirectory(rows.users);
  const compile = (workflow: WorkflowEntity): Workflow => ({
    workspaceId: id,
    id: workflow.id,
    slug: workflow.slug,
    name: workflow.name,
    version,
    cursorKey,
    hasChecklist: rows.checklist.some(belongsTo(workflow)),
    actions: rows.actions.filter(belongsTo(workflow)),
    roles: rows.roles.filter(belongsTo(workflow)),
    members: rows.members.filter(belongsTo(workflow)),
    timezone,
    schema: compileSchema({
      workflow: workflow.slug,
      stages: compileStages(rows.stages.filter(belongsTo(workflow))),
      fields: rows.fields.filter(belongsTo(workflow)),
      links: rows.relationships
        .flatMap((relationship) => linksOf(relationship, workflow))
        .map((link) => ({ link, other: () => other(link) })),
      users,
      taskUrl,
    }),
  });
  // The schemas refer to each other, so each finds the others when all are there.
  const other = ({ otherWorkflowId }: Link): TaskSchema => {
    const schema = schemas.get(otherWorkflowId);
    if (!schema) throw new Error('a relationship leads to no workflow');
    return schema;
  };
  const workflows = new Map(rows.workflows.map((workflow) => [workflow.slug, compile(workflow)]));
  const schemas = new Map([...workflows.values()].map((workflow) => [workflow.id, workflow.schema]));
  return { id, slug, name, version, users, workflows, rows };
}

function belongsTo(workflow: WorkflowEntity): (row: { workflowId: number }) => boolean {
  return (row) => row.workflowId === workflow.id;
}

function compileStages(rows: readonly StageEntity[]): Stages {
  const initial = rows.find(({ isInitial }) => isInitial) ?? rows[0];
  if (!initial) throw new Error('a workflow without stages was stored');
  return new Stages(rows, initial);
}

/** The sides of a relationship that a workflow stands at: both where it joins the workflow to itself. */
function linksOf(relationship: RelationshipEntity, { id: workflowId }: WorkflowEntity): Link[] {
  const { id: relationshipId, kind, fromWorkflowId, fromName, toWorkflowId, toName } = relationship;
  const from: Link = {
    name: fromName,
    side: `>${relationshipId}`,
    relationshipId,
    kind,
    isFrom: true,
    isMultiple: kind.endsWith('_to_many'),
    isExclusive: kind.startsWith('one_to_'),
    otherWorkflowId: toWorkflowId,
  };
  const to: Link = {
    name: toName,
    side: `<${relationshipId}`,
    relationshipId,
    kind,
    isFrom: false,
    isMultiple: kind.startsWith('many_to_'),
    isExclusive: kind.endsWith('_to_one'),
    otherWorkflowId: fromWorkflowId,
  };
  return [...(fromWorkflowId === workflowId ? [from] : []), ...(toWorkflowId === workflowId ? [to] : [])];
}
