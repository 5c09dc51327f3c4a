import { type WorkflowEntity } from './entities/workflow.entity.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { byList, type Kind, listIn, type RowNames } from './kind.js';
import { byWorkflow, isOfWorkflow, notificationsOf, rowsIn, type WorkspaceRows } from './workspace-rows.js';

/** The definition of these rows, as an export shows it, with the lists of these kinds. */
export function storedDefinition(rows: WorkspaceRows, kinds: readonly Kind[]): WorkspaceDefinition {
  const { slug, name, timezone, settings } = rows.workspace;
  const names = namesOf(rows);
  const lists = byList(
    kinds.filter(({ of }) => of === 'workspace'),
    (kind) => elementsOf(kind, rowsIn(rows, kind.list), rows.workspace, names),
  );
  return {
    workspace: { id: slug, name, timezone },
    ...{ users: [], workflows: [], relationships: [] },
    ...lists,
    workflows: rows.workflows.map(storedWorkflows(rows, kinds)),
    ...('notifications' in settings && { notifications: notificationsOf(rows.workspace) }),
  };
}

type StoredWorkflow = Pick<WorkflowEntity, 'id' | 'slug' | 'name' | 'search' | 'settings'>;

export function storedWorkflows(
  rows: WorkspaceRows,
  kinds: readonly Kind[],
): (workflow: StoredWorkflow) => WorkflowDefinition {
  const names = namesOf(rows);
  const own = kinds.filter(({ of }) => of === 'workflow');
  const rowsOf = new Map(own.map(({ list }) => [list, byWorkflow(rowsIn(rows, list).filter(isOfWorkflow))]));
  return (workflow) => ({
    id: workflow.slug,
    name: workflow.name,
    ...(workflow.search && { search: workflow.search }),
    ...{ stages: [], fields: [], checklist: [], roles: [], members: [], actions: [] },
    ...byList(own, (kind) => elementsOf(kind, rowsOf.get(kind.list)?.(workflow) ?? [], workflow, names)),
  });
}

function elementsOf(
  { rows, list }: Kind,
  stored: readonly object[],
  holder: object,
  names: RowNames,
): readonly object[] {
  return rows ? stored.map((row) => rows.spec(row, names)) : [...listIn(holder, list)];
}

function namesOf({ users, workflows, stages }: WorkspaceRows): RowNames {
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  const slugs = new Map(workflows.map(({ id, slug }) => [id, slug]));
  const stageNames = new Map(stages.map(({ id, name }) => [id, name]));
  return {
    user: (id) => emails.get(id) ?? '',
    workflow: (id) => slugs.get(id) ?? '',
    stage: (id) => stageNames.get(id) ?? '',
  };
}
