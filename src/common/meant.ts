import { suggested, suggestion } from './did-you-mean.js';
import { hinted, type Message } from './message.js';

/** A collection of known names. */
interface Known {
  keys(): Iterable<string>;
}

/** A suggestion of the known name that differs in case or punctuation only. */
export function nameMeant(name: string, known: Known): Message {
  const meant = name.length > MAX_NAME_LENGTH ? undefined : tableOf(known).get(bare(name));
  return suggestion(meant);
}

/** Like `nameMeant`; also allows a few other letters in a short list. `prefix` is not compared. */
export function nearNameMeant(name: string, known: Known, prefix = ''): Message {
  const meant = nameMeant(name, known);
  if (meant !== '' || name.length > 30 || tableOf(known).size > 100) return meant;
  return suggested(name, known.keys(), prefix);
}

/** A suggestion of the query parameter that was probably meant, also by its name in other APIs. */
export function parameterMeant(name: string, known: Known): Message {
  const own = nameMeant(name, known);
  const theirs = bare(name);
  const isHere = (one: string): boolean => tableOf(known).get(bare(one)) === one;
  const [ours] = elsewhere.find(([one, others]) => others.includes(theirs) && isHere(one)) ?? [];
  if (own !== '' || ours === undefined) return own;
  return hinted(suggestion(ours), ours === '_after' ? ' The header Link has the next page' : '');
}

/** A suggestion of the key of a body that was probably meant, also by its name in other APIs. */
export function keyMeant(name: string, known: Known): Message {
  return parameterMeant(name, known) || nearNameMeant(name, known);
}

/** Control parameters and keys with their names in other APIs. */
const elsewhere: readonly (readonly [string, readonly string[]])[] = [
  ['_after', ['offset', 'skip', 'start', 'page', 'pagenumber', 'cursor', 'pagetoken', 'startingafter']],
  ['_limit', ['size', 'pagesize', 'perpage', 'top', 'take', 'first', 'max', 'maxresults']],
  ['_sort', ['order', 'orderby', 'sortby', 'ordering']],
  ['_fields', ['select', 'only', 'attributes', 'columns']],
  ['task_id', ['task', 'uniqueid', 'id']],
  ['action_id', ['action']],
  [
    'performed_by',
    ['performer', 'as', 'user', 'userid', 'email', 'actor', 'by', 'onbehalfof', 'sub', 'author', 'assignee'],
  ],
  ['fields', ['values', 'inputs', 'data', 'set']],
  ['body', ['text', 'comment', 'message', 'content']],
  ['_search', ['q', 'query', 'search', 'keyword', 'keywords', 'text', 'fulltext']],
  ['_count', ['total', 'totalcount', 'withcount', 'includetotal']],
];

/** Nobody types a longer name by hand. */
const MAX_NAME_LENGTH = 100;
const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const tables = new WeakMap<object, ReadonlyMap<string, string>>();

/** The known names by their letters and digits: made once, because there may be many names and many lookups. */
function tableOf(known: Known): ReadonlyMap<string, string> {
  const made = tables.get(known);
  if (made) return made;
  const table = new Map<string, string>();
  for (const name of known.keys()) if (!table.has(bare(name))) table.set(bare(name), name);
  table.delete('');
  tables.set(known, table);
  return table;
}
