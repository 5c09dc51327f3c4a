import { byWorkflow, notificationsOf, type WorkspaceRows } from './workspace-rows.js';
import { actionsIn } from './action-definition.js';
import { members } from './kinds/members.kind.js';
import { roles } from './kinds/roles.kind.js';
import { type FieldEntity } from './entities/field.entity.js';
import { type RelationshipEntity } from './entities/relationship.entity.js';
import { type StageEntity } from './entities/stage.entity.js';
import { type WorkflowEntity } from './entities/workflow.entity.js';
import { pauses } from '../../../packages/fair/turn.js';
import { compileSchema } from '../fields/compile-schema.js';
import { type Link, type TaskSchema, Stages } from '../fields/task-schema.js';
import { UserDirectory } from '../fields/users.js';
import { deadlinesOf } from './draft-schema.js';
import { dueByFields } from './due-fields.js';
import { calendarsOf } from './kinds/calendars.kind.js';
import { type RelationshipSide, sidesOfEnds } from './relationship-definition.js';
import { Roles } from './roles.js';
import { type Workflow, type Workspace } from './workspace.js';

/** Compiles a workspace, and pauses between workflows for other work. `taskUrl` is a template. */
export async function compileWorkspace(
  rows: WorkspaceRows,
  taskUrl: string,
  pause = pauses({ workspaceId: rows.workspace.id }),
): Promise<Workspace> {
  const { id, slug, name, version, cursorKey, timezone } = rows.workspace;
  const users = new UserDirectory(rows.users);
  const permissions = new Roles(rows);
  const calendars = calendarsOf(rows.workspace);
  const shared = { workspaceId: id, version, cursorKey, timezone, permissions, calendars };
  const listsOf = listsByWorkflow(rows);
  const schemaOf = schemaCompiler(rows, users, { timezone, calendars }, taskUrl);
  const workflows = new Map<string, Workflow>();
  for (const workflow of rows.workflows) {
    await pause();
    const { id, slug, name, settings } = workflow;
    const { stages, checklist, ...lists } = listsOf(workflow);
    const schema = schemaOf(workflow, stages, lists.fields);
    const own = { id, slug, name, settings, ...lists, hasChecklist: checklist.length > 0, schema };
    workflows.set(slug, { ...shared, ...own });
  }
  const notifications = notificationsOf(rows.workspace);
  return { id, slug, name, version, users, workflows, permissions, calendars, notifications, rows };
}

function listsByWorkflow(rows: WorkspaceRows) {
  const stages = byWorkflow(rows.stages);
  const fields = byWorkflow(rows.fields);
  const checklist = byWorkflow(rows.checklist);
  return (of: WorkflowEntity) => ({
    stages: stages(of),
    fields: fields(of),
    checklist: checklist(of),
    roles: roles.in(of),
    members: members.in(of),
    actions: actionsIn(of),
  });
}

/**
 * Makes a function that compiles one schema. The schema looks up linked schemas when it needs them, because
 * they may be compiled later.
 */
function schemaCompiler(
  { relationships, workflows }: WorkspaceRows,
  users: UserDirectory,
  time: Pick<Workflow, 'timezone' | 'calendars'>,
  taskUrl: string,
) {
  const slugs = new Map(workflows.map(({ id, slug }) => [id, slug]));
  const linksOf = byWorkflow(relationships.flatMap((each) => sidesIn(each, slugs)));
  const schemas = new Map<number, TaskSchema>();
  const other = ({ otherWorkflowId }: Link): TaskSchema => {
    const schema = schemas.get(otherWorkflowId);
    if (!schema) throw new Error('a relationship leads to no workflow');
    return schema;
  };
  return (
    workflow: WorkflowEntity,
    stages: readonly StageEntity[],
    fields: readonly FieldEntity[],
  ): TaskSchema => {
    const { id, slug, search } = workflow;
    const links = linksOf(workflow).map(({ link }) => ({ link, other: () => other(link) }));
    const dueAt = dueByFields(workflow, fields, time);
    const own = { stages: compileStages(stages), deadlines: deadlinesOf(workflow), dueAt, fields, links };
    const schema = compileSchema({ workflow: slug, search, ...own, users, taskUrl });
    schemas.set(id, schema);
    return schema;
  };
}

function compileStages(rows: readonly StageEntity[]): Stages {
  const initial = rows.find(({ isInitial }) => isInitial) ?? rows[0];
  if (!initial) throw new Error('a workflow without stages was stored');
  return new Stages(rows, initial);
}

function sidesIn(
  { id, kind, ...ends }: RelationshipEntity,
  slugs: ReadonlyMap<number, string>,
): RelationshipSide[] {
  const { fromName, fromChange, fromWorkflowId, toName, toChange, toWorkflowId } = ends;
  const isByActions = [fromChange, toChange].includes('by_actions');
  const from = { name: fromName, workflowId: fromWorkflowId, workflow: slugs.get(fromWorkflowId) ?? '' };
  const to = { name: toName, workflowId: toWorkflowId, workflow: slugs.get(toWorkflowId) ?? '' };
  return sidesOfEnds({ relationshipId: id, kind, isByActions }, from, to);
}
