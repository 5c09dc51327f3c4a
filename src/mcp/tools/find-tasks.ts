import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { invalidField } from '../../common/field-errors.js';
import { parametersOf } from '../arguments.js';
import { ROOM, type Tool } from '../tool.js';

export const findTasksTool: Tool = {
  name: 'find_tasks',
  description:
    'Finds tasks. `filters` maps keys to values: {"Stage": ["New", "Open"], "Amount[gte]": 100, "Assigned To": null}; operators: ne gt gte lt lte contains.',
  arguments: {
    workflow: { type: 'string' },
    filters: { type: 'object' },
    words: { type: 'string', says: 'Words to search for.' },
    fields: { type: 'array', says: 'The keys to show.' },
    sort: { type: 'array', says: 'Keys; "-" before a key sorts downwards.' },
    limit: { type: 'integer', says: 'Default 10.' },
    after: { type: 'string', says: 'To get more: the `next` of the previous result.' },
  },
  required: ['workflow'],
  hints: { writes: false },
  async run({ services, scope }, given) {
    const within = await scope(given.text('workflow'));
    const query = parametersOf(given.object('filters'));
    const set = (name: string, text: string | undefined): void => {
      if (text !== undefined && text !== '') query.set(name, text);
    };
    set('_search', given.optional('words'));
    set('_fields', given.list('fields').join());
    set('_sort', given.list('sort').join());
    set('_after', given.optional('after'));
    let limit = given.optional('limit') ?? '10';
    const read = async () => {
      query.set('_limit', limit);
      return readStretch(await services.lists.read(within, { ...nowhere, query, isActive: false }), MAX_READ);
    };
    let page = await read();
    // Halves the page until it fits. Its `next` leads to the remaining tasks.
    while (Number(limit) > 1 && !fits(page)) {
      limit = String(Math.ceil(Number(limit) / 2));
      page = await read();
    }
    if (!page) throw invalidField('limit', 'is too high for tasks of this length');
    const { shown: tasks, next } = page;
    const said = next === undefined ? 'There are no more.' : 'There are more: see `next`.';
    return { said, structured: { ...(next !== undefined && { next }), values: { tasks } } };
  },
};

const fits = (page: { readonly shown: readonly unknown[] } | undefined): boolean =>
  page !== undefined && Buffer.byteLength(JSON.stringify(page.shown)) <= ROOM;

/** The maximum number of characters to read of a page. */
const MAX_READ = 4_000_000;
