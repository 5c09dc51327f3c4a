import { type WorkspaceDefinition } from './definition.js';
import { join } from './place.js';

// What the elements of these lists are called by; those of other lists are called by their index.
const identities = new Map([
  ['users', 'email'],
  ['workflows', 'id'],
  ['stages', 'name'],
  ['fields', 'name'],
  ['checklist', 'title'],
  ['roles', 'id'],
  ['members', 'email'],
  ['actions', 'id'],
  ['relationships', 'id'],
]);

/** How every object of a definition is called by identity: `workflows.vendors.actions.approve.steps[1]`. */
export function pathsOf(definition: WorkspaceDefinition): ReadonlyMap<object, string> {
  const paths = new Map<object, string>();
  note(definition, '', '', paths);
  return paths;
}

function note(value: unknown, path: string, list: string, paths: Map<object, string>): void {
  if (typeof value !== 'object' || value === null) return;
  paths.set(value, path);
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      note(item, join(path, nameOf(item, list) ?? index), '', paths);
    });
  } else {
    for (const [key, item] of Object.entries(value)) note(item, join(path, key), key, paths);
  }
}

function nameOf(item: unknown, list: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const name = new Map<string, unknown>(Object.entries(item)).get(identities.get(list) ?? '');
  return typeof name === 'string' ? name : undefined;
}
