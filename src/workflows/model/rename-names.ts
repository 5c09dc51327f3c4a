import { type NamedKind } from './marks.js';
import { namesIn, type NameUse, type DefinitionPart } from './names.js';
import { renameQuery } from './rename-query.js';

/** The present name of what was once called so, in one of these workflows. */
export type NameNow = (to: NamedKind, name: string, workflows: readonly string[]) => string;

/**
 * Renames every name in a part of a definition, in place; not those within expressions and templates, and no e-mails in
 * values of person fields: the check reports these.
 */
export function renameNames(part: DefinitionPart, nameNow: NameNow): void {
  const keys = new Map<object, Map<string, string>>();
  for (const use of namesIn(part)) {
    const now = presentOf(use, nameNow);
    if (now === use.name) continue;
    if (use.isKey)
      keys.set(use.holder, (keys.get(use.holder) ?? new Map<string, string>()).set(use.name, now));
    else Reflect.set(use.holder, use.key, now);
  }
  for (const [mapping, renames] of keys) renameKeys(mapping, renames);
}

function presentOf({ name, mark, workflows }: NameUse, nameNow: NameNow): string {
  const inQuery = (to: NamedKind, text: string): string => nameNow(to, text, workflows);
  return mark.isQuery ? renameQuery(name, inQuery) : nameNow(mark.to, name, workflows);
}

/** All at once, because one may take the former name of another; the order stays. */
function renameKeys(mapping: object, renames: ReadonlyMap<string, string>): void {
  const entries = Object.entries(mapping) as [string, unknown][];
  for (const [key] of entries) Reflect.deleteProperty(mapping, key);
  // Unlike an assignment, this keeps a key `__proto__`.
  for (const [key, value] of entries)
    Object.defineProperty(mapping, renames.get(key) ?? key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
