/** One kind of list: its queries are asked for in turn. */
export interface Kind {
  readonly name: string;
  readonly queries: readonly Query[];
  /** The milliseconds that 95 of 100 pages may take. */
  readonly atMost: number;
}

export type Query = readonly (readonly [name: string, value: string])[];

const gold: Query = [['Tier', 'Gold']];
const cities = Array.from({ length: 20 }, (_, k) => `City ${k * 47}`);

export const kinds: readonly Kind[] = [
  filter('no filter', []),
  filter('stage, 1 in 4', [['Stage', 'Waiting']]),
  filter('text, 1 in 1,000', ...cities.map((city): Query => [['City', city]])),
  filter('text, none', [['City', 'Nowhere']]),
  filter('number range, none', [['Amount[gt]', '2000000']]),
  filter('text and select, few', ...cities.map((city): Query => [['City', city], ...gold])),
  sort('Amount', []),
  sort('-Due Date', []),
  sort('-Due Date', gold),
  sort('Amount', [['City', 'City 7']]),
  search('all', 'order'),
  search('rare', '777777'),
  search('none', 'unicorn'),
  search('all and rare', 'customer order 777777'),
];

function filter(name: string, ...queries: readonly Query[]): Kind {
  return { name, queries, atMost: 50 };
}

function sort(by: string, filters: Query): Kind {
  const name = ['sorted by', by, ...filters.map(([, value]) => `of ${value}`)].join(' ');
  return { name, queries: [[...filters, ['_sort', by]]], atMost: 20 };
}

function search(name: string, words: string): Kind {
  return { name: `search: ${name}`, queries: [[['_search', words]]], atMost: 50 };
}
