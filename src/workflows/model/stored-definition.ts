import { type WorkflowEntity } from './entities/workflow.entity.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { byList, type Kind } from './kind.js';
import { listIn } from './list-in.js';
import { type NameOfRow } from './stored-rows.js';
import { byWorkflow, isOfWorkflow, notificationsOf, rowsIn, type WorkspaceRows } from './workspace-rows.js';

/** Builds the definition from these rows, with the lists of these kinds. */
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
  nameOf: NameOfRow,
): readonly object[] {
  return rows ? stored.map((row) => rows.spec(row, nameOf)) : [...listIn(holder, list)];
}

function namesOf({ users, workflows, stages }: WorkspaceRows): NameOfRow {
  const names = new Map<string, string>([
    ...users.map(({ id, email }) => [`user ${id}`, email] as const),
    ...workflows.map(({ id, slug }) => [`workflow ${id}`, slug] as const),
    ...stages.map(({ id, name }) => [`stage ${id}`, name] as const),
  ]);
  return (kind, id) => names.get(`${kind} ${String(id)}`) ?? '';
}
