import { type WorkspaceRows } from '../definitions/workspace-rows.js';
import { type RelationshipEntity } from '../entities/relationship.entity.js';
import { type StageEntity } from '../entities/stage.entity.js';
import { type WorkflowEntity } from '../entities/workflow.entity.js';
import { compileSchema } from '../schema/compile-schema.js';
import { Stages } from '../schema/stages.js';
import { UserDirectory } from './user-directory.js';
import { type Workflow, type Workspace } from './workspace.js';

/** Compiles a stored definition; `taskUrl` is the template of `Task URL`. */
export function compileWorkspace(rows: WorkspaceRows, taskUrl: string): Workspace {
  const { id, slug, name, version, cursorKey } = rows.workspace;
  const users = new UserDirectory(rows.users);
  const compile = (workflow: WorkflowEntity): Workflow => ({
    workspaceId: id,
    id: workflow.id,
    slug: workflow.slug,
    name: workflow.name,
    version,
    cursorKey,
    schema: compileSchema({
      workflow: workflow.slug,
      stages: compileStages(rows.stages.filter(belongsTo(workflow))),
      fields: rows.fields.filter(belongsTo(workflow)),
      links: rows.relationships.flatMap((relationship) => linksOf(relationship, workflow)),
      users,
      taskUrl,
    }),
  });
  const workflows = new Map(rows.workflows.map((workflow) => [workflow.slug, compile(workflow)]));
  return { id, slug, name, version, users, workflows };
}

function belongsTo(workflow: WorkflowEntity): (row: { workflowId: number }) => boolean {
  return (row) => row.workflowId === workflow.id;
}

function compileStages(rows: readonly StageEntity[]): Stages {
  const initial = rows.find(({ isInitial }) => isInitial) ?? rows[0];
  if (!initial) throw new Error('a workflow without stages was stored');
  return new Stages(rows, initial);
}

/** The keys that a relationship adds to the tasks of a workflow: two where it joins the workflow to itself. */
function linksOf(
  relationship: RelationshipEntity,
  { id }: WorkflowEntity,
): { name: string; isMultiple: boolean }[] {
  const { kind, fromWorkflowId, fromName, toWorkflowId, toName } = relationship;
  const links = [];
  if (fromWorkflowId === id) links.push({ name: fromName, isMultiple: kind.endsWith('_to_many') });
  if (toWorkflowId === id) links.push({ name: toName, isMultiple: kind.startsWith('many_to_') });
  return links;
}
