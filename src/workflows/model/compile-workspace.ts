import { byWorkflow, notificationsOf, type OfWorkflow, type WorkspaceRows } from './workspace-rows.js';
import { type Calendar } from '../time/calendar.js';
import { parseCalendar } from '../time/parse-calendar.js';
import { type FieldEntity } from './entities/field.entity.js';
import { type RelationshipEntity } from './entities/relationship.entity.js';
import { type StageEntity } from './entities/stage.entity.js';
import { type WorkflowEntity } from './entities/workflow.entity.js';
import { pauses } from '../../../packages/fair/turn.js';
import { compileSchema } from '../fields/compile-schema.js';
import { type Link, type TaskSchema, Stages } from '../fields/task-schema.js';
import { UserDirectory } from '../fields/users.js';
import { deadlinesOf } from './draft-schema.js';
import { calendars as storedCalendars } from './kinds/calendars.kind.js';
import { Roles } from './roles.js';
import { type Workflow, type Workspace } from './workspace.js';

/** Pauses between workflows, so that the event loop is not blocked; `taskUrl` is the template of `Task URL`. */
export async function compileWorkspace(
  rows: WorkspaceRows,
  taskUrl: string,
  pause = pauses({ workspaceId: rows.workspace.id }),
): Promise<Workspace> {
  const { id, slug, name, version } = rows.workspace;
  const calendars = compileCalendars(rows);
  const shared = { users: new UserDirectory(rows.users), permissions: new Roles(rows), calendars, taskUrl };
  const compile = workflowCompiler(rows, shared);
  const workflows = new Map<string, Workflow>();
  for (const workflow of rows.workflows) {
    await pause();
    workflows.set(workflow.slug, compile(workflow));
  }
  const { users, permissions } = shared;
  const notifications = notificationsOf(rows.workspace);
  return { id, slug, name, version, users, workflows, permissions, calendars, notifications, rows };
}

function compileCalendars({ workspace }: WorkspaceRows): ReadonlyMap<string, Calendar> {
  const parsed = storedCalendars.in(workspace).map((source) => parseCalendar(source).value);
  return new Map(parsed.flatMap((calendar) => (calendar ? [[calendar.id, calendar]] : [])));
}

interface Shared {
  readonly users: UserDirectory;
  readonly permissions: Roles;
  readonly calendars: ReadonlyMap<string, Calendar>;
  readonly taskUrl: string;
}

/** Compiles workflows one at a time. Their schemas refer to each other lazily, once all exist. */
function workflowCompiler(rows: WorkspaceRows, shared: Shared): (workflow: WorkflowEntity) => Workflow {
  const stagesOf = byWorkflow(rows.stages);
  const fieldsOf = byWorkflow(rows.fields);
  const checklistOf = byWorkflow(rows.checklist);
  const rolesOf = byWorkflow(rows.roles);
  const membersOf = byWorkflow(rows.members);
  const actionsOf = byWorkflow(rows.actions);
  const compileSchemaOf = schemaCompiler(rows, shared);
  const { id: workspaceId, version, cursorKey, timezone } = rows.workspace;
  return (workflow) => {
    const fields = fieldsOf(workflow);
    return {
      workspaceId,
      id: workflow.id,
      slug: workflow.slug,
      name: workflow.name,
      version,
      cursorKey,
      hasChecklist: checklistOf(workflow).length > 0,
      fields,
      actions: actionsOf(workflow),
      settings: workflow.settings,
      roles: rolesOf(workflow),
      members: membersOf(workflow),
      permissions: shared.permissions,
      timezone,
      calendars: shared.calendars,
      schema: compileSchemaOf(workflow, stagesOf(workflow), fields),
    };
  };
}

function schemaCompiler({ relationships, workflows }: WorkspaceRows, { users, taskUrl }: Shared) {
  const slugs = new Map(workflows.map(({ id, slug }) => [id, slug]));
  const linksOf = byWorkflow(relationships.flatMap((each) => sidesOfRelationship(each, slugs)));
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
    const deadlines = deadlinesOf(workflow);
    const links = linksOf({ id }).map(({ link }) => ({ link, other: () => other(link) }));
    const own = { stages: compileStages(stages), deadlines, fields, links };
    const source = { workflow: slug, search, ...own, users, taskUrl };
    const schema = compileSchema(source);
    schemas.set(id, schema);
    return schema;
  };
}

function compileStages(rows: readonly StageEntity[]): Stages {
  const initial = rows.find(({ isInitial }) => isInitial) ?? rows[0];
  if (!initial) throw new Error('a workflow without stages was stored');
  return new Stages(rows, initial);
}

export function sidesOfRelationship(
  relationship: RelationshipEntity,
  slugs: ReadonlyMap<number, string>,
): (OfWorkflow & { readonly link: Link })[] {
  const { id: relationshipId, kind, fromWorkflowId, fromName, toWorkflowId, toName } = relationship;
  const isByActions = [relationship.fromChange, relationship.toChange].includes('by_actions');
  const from: Link = {
    name: fromName,
    side: `>${relationshipId}`,
    relationshipId,
    kind,
    isFrom: true,
    isMultiple: kind.endsWith('_to_many'),
    isExclusive: kind.startsWith('one_to_'),
    isByActions,
    otherWorkflowId: toWorkflowId,
    otherWorkflow: slugs.get(toWorkflowId) ?? '',
  };
  const to: Link = {
    name: toName,
    side: `<${relationshipId}`,
    relationshipId,
    kind,
    isFrom: false,
    isMultiple: kind.startsWith('many_to_'),
    isExclusive: kind.endsWith('_to_one'),
    isByActions,
    otherWorkflowId: fromWorkflowId,
    otherWorkflow: slugs.get(fromWorkflowId) ?? '',
  };
  return [
    { workflowId: fromWorkflowId, link: from },
    { workflowId: toWorkflowId, link: to },
  ];
}
