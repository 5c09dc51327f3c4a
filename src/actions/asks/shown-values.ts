import { hash } from 'node:crypto';
import { isJsonList, type Json, type JsonObject, writeJson } from '../../../packages/exact-json/json.js';

/** What a page of a form showed, as it comes back with the form: a digest of each value by the name of its field. */
export function shownText(values: JsonObject): string {
  return new URLSearchParams([...values].map(([name, value]) => [name, digestOf(value)])).toString();
}

/** The same, of a page that is shown again and says of these fields what they hold now. */
export function renewedText(shown: string, now: JsonObject): string {
  return new URLSearchParams([
    ...new URLSearchParams(shown),
    ...new URLSearchParams(shownText(now)),
  ]).toString();
}

/** How a field was sent, beside what its page showed and what it holds now. */
export type Fate = 'untouched' | 'written' | 'overtaken';

/**
 * A value that somebody did not touch stays as it is now; one that was changed by others after the page was made must
 * not be overwritten unseen. A page that does not say what it showed overwrites.
 */
export function fateOf(name: string, sent: Json, now: Json, shown: string): Fate {
  const before = new URLSearchParams(shown).getAll(name).at(-1);
  const [typed, held] = [digestOf(sent), digestOf(now)];
  if (typed === held || typed === before) return 'untouched';
  return before === undefined || before === held ? 'written' : 'overtaken';
}

/** Equal for values that a control shows alike. */
const digestOf = (value: Json): string =>
  hash('sha256', writeJson(isNothing(value) ? null : value), 'base64url').slice(0, 16);

const isNothing = (value: Json): boolean =>
  value === '' || value === false || (isJsonList(value) && value.length === 0);
