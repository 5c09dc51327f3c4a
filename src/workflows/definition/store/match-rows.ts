import { WorkflowEntity } from '../../model/entities/workflow.entity.js';
import { type MatchedRows } from '../../model/changed-definition.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { type NameOfRow, type StoredRows } from '../../model/stored-rows.js';
import { byWorkflow, isOfWorkflow, noRows, rowsIn, type WorkspaceRows } from '../../model/workspace-rows.js';
import { workflowKinds, workspaceKinds } from '../kinds.js';
import { identityOf, nameOfElement } from '../merge/identities.js';
import { formerIdentity } from '../merge/renames.js';

export function matchRows(rows: WorkspaceRows, merged: WorkspaceDefinition): MatchedRows {
  const found = new Map<object, object>();
  const gone = new Map<string, object[]>();
  // The names of elements, by the kind and the id of their rows.
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
  // An element with a new id gets a new row, because the id is the key of the row.
  if (kind.key[0] === 'id') return (element) => known.get(identityOf(kind, element));
  const renamed = new Set(listIn(holder, kind.list).map((element) => formerIdentity(kind, element)));
  return (element) => {
    const former = formerIdentity(kind, element);
    if (former !== undefined && known.has(former)) return known.get(former);
    return renamed.has(identityOf(kind, element)) ? undefined : known.get(identityOf(kind, element));
  };
}
