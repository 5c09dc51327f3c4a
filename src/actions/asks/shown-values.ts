import { hash } from 'node:crypto';
import { isJsonList, type Json, type JsonObject, writeJson } from '../../../packages/exact-json/json.js';

/** What a page of a form showed: a digest of each value by the name of its field. It comes back with the form. */
export function shownText(values: JsonObject): string {
  return new URLSearchParams([...values].map(([name, value]) => [name, digestOf(value)])).toString();
}

/** Adds the present values of the fields that a page shows when it is shown again. */
export function renewedText(shown: string, now: JsonObject): string {
  return new URLSearchParams([
    ...new URLSearchParams(shown),
    ...new URLSearchParams(shownText(now)),
  ]).toString();
}

/** What happened to a field between the page that was shown and the form that came back. */
type Fate = 'untouched' | 'written' | 'overtaken';

/**
 * An untouched value stays as it is now. A value that others changed after the page was made must not be overwritten
 * unseen. A page that does not say what it showed overwrites.
 */
export function fateOf(name: string, sent: Json, now: Json, shown: string): Fate {
  const before = new URLSearchParams(shown).getAll(name).at(-1);
  const [typed, held] = [digestOf(sent), digestOf(now)];
  if (typed === held || typed === before) return 'untouched';
  return before === undefined || before === held ? 'written' : 'overtaken';
}

/** Values that a control shows alike have the same digest. */
const digestOf = (value: Json): string =>
  hash('sha256', writeJson(isNothing(value) ? null : value), 'base64url').slice(0, 16);

const isNothing = (value: Json): boolean =>
  value === '' || value === false || (isJsonList(value) && value.length === 0);
