import { type Change, type NamedElement } from '../../model/changed-definition.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { placeOfValue } from '../../model/definition-reader.js';
import { type Effect, effectOf } from '../../model/effect.js';
import { kinds } from '../kinds.js';

/**
 * Returns an effect if pruning would empty lists that the file lacks. A file without `users` was probably not
 * written to deactivate everybody, so this needs permission.
 */
export function emptiedLists(file: WorkspaceDefinition, changes: readonly Change[]): Effect[] {
  // Only a document that somebody wrote has lines. A restored version lacks a list only if it was empty.
  if (placeOfValue(file)?.line === undefined) return [];
  const gone = changes.filter(
    (change) => (change.kind === 'remove' || change.what === 'user') && !hasListOf(file, change),
  );
  const lists = [...new Set(gone.map(({ what }) => `${kindNamed(what)?.list ?? what}: []`))].join(', ');
  const message = `the file lacks lists, and pruning would empty them; if you want this, write ${lists}`;
  return gone.slice(0, 1).flatMap(({ what, name }) => effectOf('loses', what, name, 1, message));
}

/** Whether the file has the list of the element, even if the list is empty. */
export function hasListOf(file: WorkspaceDefinition, { what, name }: NamedElement): boolean {
  const kind = kindNamed(what);
  const [id] = name.split(' / ');
  const holder = kind?.of === 'workflow' ? file.workflows.find((workflow) => workflow.id === id) : file;
  return holder !== undefined && placeOfValue(holder)?.entries.has(kind?.list ?? '') === true;
}

const kindNamed = (what: string) => kinds.find(({ name }) => name === what);
