import { didYouMean, suggestion } from './did-you-mean.js';

/** What is known by name. */
interface Known {
  keys(): Iterable<string>;
}

/** What a message says of the name that was probably meant: the same in other letter case or punctuation. */
export function nameMeant(name: string, known: Known): string {
  const meant = name.length > MAX_NAME_LENGTH ? undefined : tableOf(known).get(bare(name));
  return suggestion(meant);
}

/** What a message says of the name that was probably meant, also one that differs in a few letters where names are short and few; `prefix` is no letter of theirs. */
export function nearNameMeant(name: string, known: Known, prefix = ''): string {
  const meant = nameMeant(name, known);
  if (meant !== '' || name.length > 30 || tableOf(known).size > 100) return meant;
  return didYouMean(name, known.keys(), prefix);
}

/** What a message says of the query parameter that was probably meant, also under a name that other APIs give it. */
export function parameterMeant(name: string, known: Known): string {
  const own = nameMeant(name, known);
  const theirs = bare(name);
  const [ours] = elsewhere.find(([, others]) => others.includes(theirs)) ?? [];
  if (own !== '' || ours === undefined || tableOf(known).get(bare(ours)) !== ours) return own;
  return `${suggestion(ours)}${ours === '_after' ? ' The header Link has the next page' : ''}`;
}

/** Control parameters, and what they are called elsewhere. */
const elsewhere: readonly (readonly [string, readonly string[]])[] = [
  ['_after', ['offset', 'skip', 'start', 'page', 'pagenumber', 'cursor', 'pagetoken', 'startingafter']],
  ['_limit', ['size', 'pagesize', 'perpage', 'top', 'take', 'first', 'max', 'maxresults']],
  ['_sort', ['order', 'orderby', 'sortby', 'ordering']],
  ['_fields', ['select', 'only', 'attributes', 'columns']],
  ['task_id', ['task', 'uniqueid']],
  ['_search', ['q', 'query', 'search', 'keyword', 'keywords', 'text', 'fulltext']],
  ['_count', ['total', 'totalcount', 'withcount', 'includetotal']],
];

/** Nobody means a longer name. */
const MAX_NAME_LENGTH = 100;
const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const tables = new WeakMap<object, ReadonlyMap<string, string>>();

/** The names that are known, by their letters and digits: made once, for there may be many of both. */
function tableOf(known: Known): ReadonlyMap<string, string> {
  const made = tables.get(known);
  if (made) return made;
  const table = new Map<string, string>();
  for (const name of known.keys()) if (!table.has(bare(name))) table.set(bare(name), name);
  table.delete('');
  tables.set(known, table);
  return table;
}
