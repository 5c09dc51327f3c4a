/** One kind of list: its queries are asked for in turn. */
export interface Kind {
  readonly name: string;
  readonly queries: readonly Query[];
}

export interface Query {
  readonly parameters: readonly Parameter[];
  readonly isActive?: boolean;
}

type Parameter = readonly [name: string, value: string];

/** The filters for a workflow of `n` tasks, whose values are in `tasks.ts`. */
export function filterKinds(n: number): Kind[] {
  const score = (share: number): string => String(Math.round(n * share));
  const cities = numbers(20).map((k) => `City ${k * 47}`);
  return [
    kind('no filter', []),
    { name: 'active', queries: [{ parameters: [], isActive: true }] },
    kind('stage, half of all', [['Stage', 'Blue']]),
    kind('stage, few', [['Stage', 'Red']]),
    kind('stage, none', [['Stage', 'Black']]),
    { name: 'active in an end stage: none', queries: [{ parameters: [['Stage', 'Red']], isActive: true }] },
    kind('assignee, half of all', [['Assigned To', 'user0@bench.test']]),
    each('assignee, 1 in 40', numbers(5), (k) => [['Assigned To', `user${k + 1}@bench.test`]]),
    kind('assignee blank', [['Assigned To', '']]),
    each('text, 1 in 1,000', cities, (city) => [['City', city]]),
    each('text, a handful', numbers(20), (k) => [['Code', `K${k * 971}`]]),
    kind('text, half of all', [['Region', 'north']]),
    kind('text, rare', [['Code', 'rare']]),
    kind('text, none', [['City', 'Nowhere']]),
    kind('text, only in the last 1 %', [['Batch', 'late']]),
    kind('text, only in the first 1 %', [['Batch', 'early']]),
    each('text, clustered anywhere', [10, 40, 70, 95], (k) => [['Batch', `b${k}`]]),
    kind('select, half of all', [['Kind', 'A']]),
    kind('select, 1 in 6', [['Kind', 'C']]),
    kind('checkbox ticked', [['Flag', 'true']]),
    kind('checkbox not ticked', [['Flag', 'false']]),
    kind('membership', [['Tags', 'red']]),
    each('person', numbers(5), (k) => [['Owner', `user${k}@bench.test`]]),
    each('number, 1 or none', numbers(20), (k) => [['Amount', String(k * 991)]]),
    kind('number, half of all', [['Price', '10']]),
    each('unique id', numbers(20), (k) => [['ID', `T-${k * 17 + 1}`]]),
    each('any of 5 texts', numbers(5), (k) => cities.slice(k, k + 5).map((city) => ['City', city])),
    kind('any of 20 texts', cities.map((city) => ['City', city])), // prettier-ignore
    kind('any of 2 selects', [['Kind', 'A'], ['Kind', 'C']]), // prettier-ignore
    kind('any of 2 stages', [['Stage', 'Green'], ['Stage', 'Red']]), // prettier-ignore
    kind('any of a text and blank', [['Contact', ''], ['Contact', 'nobody@example.org']]), // prettier-ignore
    kind('any of 2 missing texts', [['City', 'Nowhere'], ['City', 'Utopia']]), // prettier-ignore
    kind('blank, most', [['Contact', '']]),
    kind('blank, 1 in 5', [['Due', '']]),
    kind('blank, none', [['City', '']]),
    kind('ne, most', [['City[ne]', 'City 1']]),
    kind('ne, half of all', [['Kind[ne]', 'A']]),
    kind('ne blank, rare', [['Contact[ne]', '']]),
    kind('ne both of two: none', [['Region[ne]', 'north'], ['Region[ne]', 'south']]), // prettier-ignore
    kind('number range, half of all', [['Amount[gt]', '500000']]),
    each('number range, 1 in 1,000', numbers(10), (k) => between('Amount', k * 90_000, k * 90_000 + 1000)),
    kind('number range, none', [['Amount[gt]', '2000000']]),
    kind('number range, the last 1 %', [['Score[gt]', score(0.99)]]),
    kind('number range, the first 1 %', [['Score[lte]', score(0.01)]]),
    kind('date range, half of all', [['Due[gte]', '2026-01-01']]),
    each('date range, 3 days', numbers(9), (k) => between('Due', `2025-0${k + 1}-01`, `2025-0${k + 1}-04`)),
    kind('date range, none', [['Due[lt]', '2020-01-01']]),
    kind('text range, half of all', [['City[gt]', 'City 5']]),
    kind('text range, none', [['City[gt]', 'Z']]),
    kind('contains, all', [['Notes[contains]', 'ORDER']]),
    kind('contains, half of all', [['Notes[contains]', 'odd']]),
    kind('contains, rare', [['Notes[contains]', 'zebra']]),
    kind('contains, none', [['Notes[contains]', 'unicorn']]),
    kind('contains, only in the last 1 %', [['Notes[contains]', 'finale']]),
    kind('_created, the last week', [['_created[gte]', '2025-12-25T00:00:00Z']]),
    each('_created, an hour', numbers(9), (k) => between('_created', `2025-0${k + 1}-05T10:00:00Z`, `2025-0${k + 1}-05T11:00:00Z`)), // prettier-ignore
    kind('_created, none', [['_created[gt]', '2027-01-01T00:00:00Z']]),
    kind('_updated, 1 in 100', [['_updated[gte]', '2026-02-01T00:00:00Z']]),
    kind('_updated, most', [['_updated[gte]', '2025-02-01T00:00:00Z']]),
    kind('_updated, none', [['_updated[gt]', '2027-01-01T00:00:00Z']]),
    each('text and select, few', cities, (city) => [['City', city], ['Kind', 'C']]), // prettier-ignore
    each('text and stage, few', cities, (city) => [['City', city], ['Stage', 'Green']]), // prettier-ignore
    kind('assignee and number range', [['Assigned To', 'user3@bench.test'], ['Amount[lt]', '100000']]), // prettier-ignore
    ...contradictions(score),
  ];
}

/** Two conditions that each match half of the tasks, or a dense part of them, but never both. */
function contradictions(score: (share: number) => string): Kind[] {
  const pairs: [string, Parameter, Parameter][] = [
    ['text and select', ['Region', 'north'], ['Kind', 'A']],
    ['select and select', ['Kind', 'A'], ['Phase', 'open']],
    ['text and text', ['Region', 'north'], ['Wing', 'left']],
    ['text and number', ['Region', 'north'], ['Price', '10']],
    ['checkbox and select', ['Flag', 'true'], ['Phase', 'open']],
    ['checkbox and stage', ['Flag', 'true'], ['Stage', 'Blue']],
    ['assignee and stage', ['Assigned To', 'user0@bench.test'], ['Stage', 'Blue']],
    ['assignee and text', ['Assigned To', 'user0@bench.test'], ['Region', 'north']],
    ['stage and text', ['Stage', 'Blue'], ['Wing', 'left']],
    ['stage and contains', ['Stage', 'Blue'], ['Notes[contains]', 'odd']],
    ['text and contains', ['Region', 'north'], ['Notes[contains]', 'odd']],
    ['select and ne', ['Kind', 'A'], ['Wing[ne]', 'left']],
    ['ne and ne', ['Kind[ne]', 'A'], ['Wing[ne]', 'right']],
    ['text and number range', ['Region', 'north'], ['Price[lte]', '10']],
    ['first half and last half', ['Score[lt]', score(0.5)], ['Score[gte]', score(0.5)]],
    ['created early and numbered late', ['_created[lt]', '2025-07-01T00:00:00Z'], ['Score[gt]', score(0.6)]],
    ['updated late and numbered early', ['_updated[gt]', '2026-02-13T00:00:00Z'], ['Score[lt]', score(0.5)]],
    ['first 1 % and last 1 %', ['Batch', 'early'], ['Score[gt]', score(0.99)]],
    ['last 1 % and half', ['Batch', 'late'], ['Amount[gt]', '2000000']],
  ];
  return pairs.map(([name, one, other]) => kind(`contradiction: ${name}`, [one, other]));
}

/** Lists in an order that an index keeps: alone and with one filter, and ranges of the time of creation. */
export function keptKinds(): Kind[] {
  const sorts = ['Amount', '-Amount', 'City', '-City', 'Due', '-Due', 'Kind', '-Kind', 'Stage', '-Stage', 'Assigned To', '-Assigned To', '_created', '-_created', '-_updated']; // prettier-ignore
  const filtered = ['Amount', '-Due', 'Kind', 'Stage', '_created'];
  return [
    ...sorts.map((sort) => kind(`by ${sort}`, [['_sort', sort]])),
    ...filtered.flatMap((sort): Kind[] => [
      kind(`by ${sort}, half of all`, [['Region', 'north'], ['_sort', sort]]), // prettier-ignore
      kind(`by ${sort}, 1 in 1,000`, [['City', 'City 7'], ['_sort', sort]]), // prettier-ignore
      kind(`by ${sort}, of one assignee`, [['Assigned To', 'user3@bench.test'], ['_sort', sort]]), // prettier-ignore
      kind(`by ${sort}, of one stage`, [['Stage', 'Green'], ['_sort', sort]]), // prettier-ignore
    ]),
    kind('by Amount, its range', [...between('Amount', 200_000, 700_000), ['_sort', 'Amount']]), // prettier-ignore
    kind('by -Amount, a range of Due', [['Due[gte]', '2026-01-01'], ['_sort', '-Amount']]), // prettier-ignore
    kind('by -Amount, created since November', [['_created[gte]', '2025-11-01T00:00:00Z'], ['_sort', '-Amount']]), // prettier-ignore
    kind('created since July', [['_created[gte]', '2025-07-01T00:00:00Z']]),
    kind('created since July, newest first', [['_created[gte]', '2025-07-01T00:00:00Z'], ['_sort', '-_created']]), // prettier-ignore
    kind('created until July, newest first', [['_created[lt]', '2025-07-01T00:00:00Z'], ['_sort', '-_created']]), // prettier-ignore
    kind('created since July, of one assignee', [['_created[gte]', '2025-07-01T00:00:00Z'], ['Assigned To', 'user3@bench.test']]), // prettier-ignore
  ];
}

/** Sorts without an index, or of so few tasks that they are sorted; these have no limit. */
export function sortKinds(): Kind[] {
  return [
    kind('sorted by Code', [['_sort', 'Code']]),
    kind('sorted by Kind,-Amount', [['_sort', 'Kind,-Amount']]),
    kind('sorted by -_created, half of all', [['Region', 'north'], ['_sort', '-_created']]), // prettier-ignore
    kind('sorted by -_created, a contradiction', [['Region', 'north'], ['Kind', 'A'], ['_sort', '-_created']]), // prettier-ignore
    kind('sorted by -Amount, a contradiction', [['Region', 'north'], ['Kind', 'A'], ['_sort', '-Amount']]), // prettier-ignore
  ];
}

/** Searches by words, alone and with filters and sorts. */
export function searchKinds(): Kind[] {
  const search = (words: string): Parameter => ['_search', words];
  return [
    kind('search: all', [search('order')]),
    kind('search: half of all', [search('odd')]),
    kind('search: rare', [search('zebra')]),
    kind('search: none', [search('unicorn')]),
    kind('search: only in the last 1 %', [search('finale')]),
    kind('search: only in the first 1 %', [search('early')]),
    each('search: a number', numbers(20), (k) => [search(`T-${k * 4711 + 1}`)]),
    each('search: 1 in 1,000 and some', numbers(20), (k) => [search(`city ${k * 47}`)]),
    each('search: one digit', [1, 5, 9], (digit) => [search(String(digit))]),
    kind('search: one letter', [search('z')]),
    kind('search: all and rare', [search('order number zebra')]),
    kind('search: a contradiction', [search('odd north')]),
    kind('search: a contradiction of beginnings', [search('ev sou')]),
    kind('search: last 1 % and first 1 %', [search('finale early')]),
    kind('search: rare, of a select', [search('zebra'), ['Kind', 'A']]),
    kind('search: half of all, of a text 1 in 1,000', [search('odd'), ['City', 'City 7']]),
    kind('search: half of all, of the other half', [search('odd'), ['Region', 'north']]),
    kind('search: last 1 %, of one assignee', [search('finale'), ['Assigned To', 'user3@bench.test']]),
    kind('search: last 1 %, a range', [search('finale'), ['Amount[gt]', '500000']]),
    kind('search: rare, newest first', [search('zebra'), ['_sort', '-_created']]),
    kind('search: half of all, by -Amount', [search('even'), ['_sort', '-Amount']]),
    kind('search: rare, by -Amount', [search('zebra'), ['_sort', '-Amount']]),
    kind('search: last 1 %, by Due', [search('finale'), ['_sort', 'Due']]),
    each('search: 1 in 1,000 and some, by Stage', numbers(20), (k) => [search(`city ${k * 47}`), ['_sort', 'Stage']]), // prettier-ignore
  ];
}

function kind(name: string, parameters: Parameter[]): Kind {
  return { name, queries: [{ parameters }] };
}

function each<T>(name: string, variants: readonly T[], parametersOf: (variant: T) => Parameter[]): Kind {
  return { name, queries: variants.map((variant) => ({ parameters: parametersOf(variant) })) };
}

function between(name: string, from: string | number, to: string | number): Parameter[] {
  return [
    [`${name}[gte]`, String(from)],
    [`${name}[lt]`, String(to)],
  ];
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, k) => k);
}
