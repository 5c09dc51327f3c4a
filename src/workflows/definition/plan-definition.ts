import { type KnownSettings } from '../model/check/kit.js';
import { type DataSource, type EntityManager } from 'typeorm';
import { inTurns } from '../../../packages/fair/turn.js';
import { type Config } from '../../config.js';
import { mailUrlOf } from '../../common/outbox.js';
import { WorkspaceEntity } from '../model/entities/workspace.entity.js';
import { type SourceDefinition } from './source/read-definition.js';
import { impacts, kinds, workflowKinds, workspaceKinds } from './kinds.js';
import { storedDefinition } from '../model/stored-definition.js';
import { noRows, type WorkspaceRows, byWorkflow, isOfWorkflow, rowsIn } from '../model/workspace-rows.js';
import { loadDefinitionRows } from './store/load-rows.js';
import { checkingDefinition } from './check/check-definition.js';
import { type Effect } from '../model/effect.js';
import { type Change, type ChangedDefinition, type MatchedRows } from '../model/changed-definition.js';
import { diffDefinitions } from './merge/diff.js';
import { type WorkspaceDefinition } from '../model/definition.js';
import { faultsOfRenames, formersIn, noteIdleRenames } from './merge/idle-renames.js';
import { findRenames, formerIdentity } from './merge/renames.js';
import { emptiedLists } from './merge/emptied-lists.js';
import { emptyWorkspace, mergeDefinitions } from './merge/merge-definitions.js';
import { type Plan } from './plan.dto.js';
import { WorkflowEntity } from '../model/entities/workflow.entity.js';
import { type Kind } from '../model/kind.js';
import { listIn } from '../model/list-in.js';
import { type NameOfRow, type StoredRows } from '../model/stored-rows.js';
import { identityOf, nameOfElement } from './merge/identities.js';

export interface Draft extends ChangedDefinition {
  readonly kept: Plan['kept'];
  /** The effect of emptying lists that the file lacks, if pruning does that. */
  readonly emptied: readonly Effect[];
}

export type { Plan };

export interface PlanOptions extends KnownSettings {
  /** Whether to remove elements that the file does not name; users are deactivated instead. */
  readonly isPruning?: boolean;
}

/** Plans an apply, and counts the data that it would affect. Reads one snapshot, without locks. */
export async function planDefinition(
  dataSource: DataSource,
  source: SourceDefinition,
  options: PlanOptions = {},
): Promise<Plan> {
  return dataSource.transaction('REPEATABLE READ', async (db) => {
    await db.query('SET TRANSACTION READ ONLY');
    return planWithin(db, source, options);
  });
}

/** Plans an apply within the caller's transaction. */
export async function planWithin(
  db: EntityManager,
  source: SourceDefinition,
  options: PlanOptions = {},
): Promise<Plan> {
  await db.query('SET LOCAL statement_timeout = 0');
  const rows = await findRows(db, source.definition.workspace.id);
  const draft = await inTurns(drafting(rows, source, options));
  return planOf(draft, await effectsOf(db, draft));
}

export async function effectsOf(db: EntityManager, draft: Draft): Promise<Effect[]> {
  const effects: Effect[] = [...draft.emptied];
  for (const impact of impacts) effects.push(...((await impact.effects?.(db, draft)) ?? []));
  return effects;
}

/** The features that this process offers to definitions. Assumes that all processes offer these features. */
export const knownSettingsOf = (config: Config): KnownSettings => ({
  hasConsole: config.hasConsole,
  hasMail: mailUrlOf(config) !== undefined,
});

export function planOf(draft: Draft, effects: readonly Effect[]): Plan {
  const { rows, changes, kept } = draft;
  const { slug, version } = rows.workspace;
  return { workspace: slug, version, changes, effects, kept };
}

async function findRows(db: EntityManager, slug: string): Promise<WorkspaceRows> {
  // An invalid id is not looked up, because no stored workspace has one. The check of the draft reports it.
  const workspace = /^[a-z0-9-]+$/.test(slug) ? await db.findOneBy(WorkspaceEntity, { slug }) : null;
  return (workspace && (await loadDefinitionRows(db, workspace.id))) ?? newRows(slug);
}

/** Merges the file into these rows, and finds the changes. Throws if the merged definition is invalid. */
export function* drafting(
  rows: WorkspaceRows,
  source: SourceDefinition,
  { isPruning = false, ...known }: PlanOptions,
): Generator<void, Draft> {
  const stored = rows.workspace.version === 0 ? undefined : storedDefinition(rows, kinds);
  yield;
  const merged = mergeDefinitions(stored, source.definition, { isPruning });
  yield;
  const formers = formersIn(source.definition, merged);
  // Pruning removes or deactivates the element with the former name, and the plan shows this. So this element
  // needs no fault.
  const ofRenames = isPruning ? [] : faultsOfRenames(formers);
  const checked = { ...source, faults: [...source.faults, ...ofRenames] };
  yield* checkingDefinition(merged, checked, stored === undefined, known);
  yield;
  const found = diffDefinitions(stored, merged);
  const changes = stored ? noteIdleRenames(found, formers) : found;
  yield;
  const kept = stored && !isPruning ? keptOf(stored, source.definition, changes) : [];
  const emptied = isPruning ? emptiedLists(source.definition, changes) : [];
  const renames = findRenames(stored ?? emptyWorkspace(merged), merged);
  const matches = matchRows(rows, merged);
  return { rows, stored, merged, changes, matches, renames, kept, emptied };
}

/** The elements that only pruning would remove or deactivate. */
function keptOf(
  stored: WorkspaceDefinition,
  file: WorkspaceDefinition,
  changes: readonly Change[],
): Plan['kept'] {
  const labelOf = ({ kind, what, name }: Change): string => `${kind} ${what} ${name}`;
  const known = new Set(changes.map(labelOf));
  return diffDefinitions(stored, mergeDefinitions(stored, file, { isPruning: true }))
    .filter((change) => change.kind === 'remove' || (change.kind === 'change' && change.what === 'user'))
    .filter((change) => !known.has(labelOf(change)))
    .map(({ what, name }) => ({ what, name }));
}

function newRows(slug: string): WorkspaceRows {
  const workspace = Object.assign(new WorkspaceEntity(), {
    id: 0,
    slug,
    name: slug,
    timezone: 'UTC',
    version: 0,
    settings: {},
  });
  return { workspace, ...noRows() };
}

function matchRows(rows: WorkspaceRows, merged: WorkspaceDefinition): MatchedRows {
  const found = new Map<object, object>();
  const gone = new Map<string, object[]>();
  // The name of each element, by the kind and the id of its row.
  const names = new Map<string, string>();
  const nameOf: NameOfRow = (kind, id) => names.get(`${kind} ${String(id)}`) ?? '';
  const rowOf = <Row extends object>(entity: new () => Row, element: object): Row | undefined => {
    const row = found.get(element);
    return row instanceof entity ? row : undefined;
  };
  const match = (kind: Kind, existing: readonly object[], holder: object): void => {
    if (!kind.rows) return;
    const left = new Set(existing);
    const rowFor = matcher(kind, kind.rows, existing, holder, nameOf);
    for (const element of listIn(holder, kind.list)) {
      const row = rowFor(element);
      if (!row) continue;
      found.set(element, row);
      left.delete(row);
      names.set(`${kind.name} ${String(Reflect.get(row, 'id'))}`, nameOfElement(kind, element));
    }
    gone.set(kind.list, [...(gone.get(kind.list) ?? []), ...left]);
  };
  for (const kind of workspaceKinds) match(kind, rowsIn(rows, kind.list), merged);
  for (const kind of workflowKinds) {
    const own = byWorkflow(rowsIn(rows, kind.list).filter(isOfWorkflow));
    for (const workflow of merged.workflows)
      match(kind, own(rowOf(WorkflowEntity, workflow) ?? { id: 0 }), workflow);
  }
  return { rowOf, gone: { ...noRows(), ...Object.fromEntries(gone) } };
}

/** Makes a function that finds the row of an element. A renamed element keeps its row. */
function matcher(
  kind: Kind,
  table: StoredRows<object>,
  existing: readonly object[],
  holder: object,
  nameOf: NameOfRow,
): (element: object) => object | undefined {
  const known = new Map(existing.map((row) => [identityOf(kind, table.spec(row, nameOf)), row]));
  // An element with a new id gets a new row, because no apply renames ids.
  if (kind.key[0] === 'id') return (element) => known.get(identityOf(kind, element));
  const renamed = new Set(listIn(holder, kind.list).map((element) => formerIdentity(kind, element)));
  return (element) => {
    const former = formerIdentity(kind, element);
    if (former !== undefined && known.has(former)) return known.get(former);
    return renamed.has(identityOf(kind, element)) ? undefined : known.get(identityOf(kind, element));
  };
}
