import { type DeepPartial, type EntityManager } from 'typeorm';
import { WorkflowEntity } from '../../model/entities/workflow.entity.js';
import { WorkspaceEntity } from '../../model/entities/workspace.entity.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind, listsWithoutTable } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { type IdOfRow } from '../../model/stored-rows.js';
import { rowsIn, type WorkspaceRows } from '../../model/workspace-rows.js';
import { kinds, kindsWithin, workflowKinds, workspaceKinds } from '../kinds.js';
import { identityFrom, nameOfElement } from '../merge/identities.js';
import { type ChangedDefinition, type MatchedRows } from '../../model/changed-definition.js';

/** Inserts and updates the rows of a workspace to match a checked definition. Deletes no rows. */
export async function storeDefinition(
  db: EntityManager,
  { rows: before, stored, merged: definition, matches }: ChangedDefinition,
): Promise<void> {
  await storeWorkspace(db, before, definition);
  const { id: workspaceId } = before.workspace;
  const store = new ListStore(db, workspaceId, matches);
  for (const kind of workspaceKinds) {
    await store.save(kind, definition);
    if (kindsWithin(kind.name).length > 0) await storeWorkflows(store, stored, definition);
  }
}

/**
 * Deletes the rows of removed elements. Begins with later kinds, because their rows refer to rows of earlier
 * kinds. Other data must no longer refer to the deleted rows.
 */
export async function deleteRemoved(db: EntityManager, { gone }: MatchedRows): Promise<void> {
  for (const { name, list, rows } of kinds.toReversed()) {
    const removed = rowsIn(gone, list).map((row) => ({ ...row }));
    // The next loop deletes workflows, together with the rows of their lists.
    if (rows && removed.length > 0 && kindsWithin(name).length === 0) await db.remove(rows.entity, removed);
  }
  for (const { workspaceId, id } of gone.workflows) {
    for (const { rows } of workflowKinds.toReversed())
      if (rows) await db.delete(rows.entity, { workspaceId, workflowId: id });
    await db.delete(WorkflowEntity, { workspaceId, id });
  }
}

async function storeWorkspace(
  db: EntityManager,
  { workspace }: WorkspaceRows,
  definition: WorkspaceDefinition,
): Promise<void> {
  const { notifications } = definition;
  const { id, name, timezone } = definition.workspace;
  await db.save(WorkspaceEntity, {
    ...workspace,
    slug: id,
    ...(name && { name }),
    ...(timezone && { timezone }),
    settings: { ...listsWithoutTable(workspaceKinds, definition), ...(notifications && { notifications }) },
  });
}

async function storeWorkflows(
  store: ListStore,
  stored: WorkspaceDefinition | undefined,
  { workflows }: WorkspaceDefinition,
): Promise<void> {
  for (const workflow of workflows)
    if (!isStored(stored, workflow))
      for (const kind of workflowKinds) await store.save(kind, workflow, store.idOf('workflow', workflow.id));
}

function isStored(stored: WorkspaceDefinition | undefined, workflow: WorkflowDefinition): boolean {
  const known = stored?.workflows.find(({ id }) => id === workflow.id);
  return JSON.stringify(known) === JSON.stringify(workflow);
}

/** Saves lists. Remembers the ids of their rows, because rows of later lists refer to them. */
class ListStore {
  private readonly ids = new Map<string, ReadonlyMap<string, unknown>>();

  constructor(
    private readonly db: EntityManager,
    private readonly workspaceId: number,
    private readonly matches: MatchedRows,
  ) {}

  /** Saves the new and changed rows of a list. */
  async save(kind: Kind, holder: object, workflowId?: unknown): Promise<void> {
    const { rows: table } = kind;
    if (!table) return;
    const place = { workspaceId: this.workspaceId, ...(workflowId !== undefined && { workflowId }) };
    const rows = listIn(holder, kind.list).map((element, position) => {
      const known = this.matches.rowOf(table.entity, element);
      const id: unknown = Reflect.get(known ?? {}, 'id') ?? table.newId?.();
      const row = {
        ...place,
        ...(id !== undefined && { id }),
        ...table.columns(element, this.idOf),
        position,
      };
      return { name: nameOfElement(kind, element), row, isKnown: known !== undefined && isSame(row, known) };
    });
    const wanted = rows.filter(({ isKnown }) => !isKnown).map(({ row }): DeepPartial<object> => row);
    // `db.save` sets generated ids on these row objects.
    await this.db.save(table.entity, wanted);
    const ids = new Map<string, unknown>();
    for (const { name, row } of rows) ids.set(identityFrom(kind, [name]), Reflect.get(row, 'id'));
    this.ids.set(kind.name, ids);
  }

  /** The id of a saved row. Throws if there is none, but the check of the definition prevents this. */
  readonly idOf: IdOfRow = (kind, name) => {
    const id = this.ids.get(kind)?.get(kind === 'user' ? name.toLowerCase() : name);
    if (id === undefined) throw new Error('a definition that was not checked cannot be stored');
    return id;
  };
}

function isSame(row: object, known: object): boolean {
  const stored = new Map<string, unknown>(Object.entries(known));
  return Object.entries(row).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(stored.get(name)),
  );
}
