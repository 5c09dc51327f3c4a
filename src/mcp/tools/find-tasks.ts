import { nowhere } from '../../common/http/paged-list.js';
import { onward, partOfPage } from '../cut.js';
import { parametersOf } from '../arguments.js';
import { type Tool } from '../tool.js';

export const findTasksTool: Tool = {
  name: 'find_tasks',
  description:
    'Finds tasks. `filters` by key: {"Stage": ["New", "Open"], "Amount[gte]": 100, "Assigned To": null}; operators: ne gt gte lt lte contains.',
  arguments: {
    workflow: { type: 'string' },
    filters: { type: 'object' },
    words: { type: 'string', says: 'Words to search for.' },
    fields: { type: 'array', says: 'The keys to show.' },
    sort: { type: 'array', says: 'Keys; "-" before a key sorts downwards.' },
    limit: { type: 'integer', most: 50, says: 'Default 10.' },
    after: { type: 'string' },
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
    const { shown, next } = await partOfPage('tasks', Number(given.optional('limit') ?? 10), (limit) => {
      query.set('_limit', String(limit));
      return services.lists.read(within, { ...nowhere, query, isActive: false });
    });
    const structured = { ...shown, ...onward('find_tasks', given.plain, next) };
    return { said: next === undefined ? 'There are no more.' : 'There are more: see `next`.', structured };
  },
};
