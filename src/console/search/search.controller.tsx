import { Get } from '@nestjs/common';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { pageReply } from '../page.js';
import { SearchPage } from './search-page.js';
import { TaskSearches } from '../../tasks/list/task-searches.js';
import { readerScope } from '../entrances.js';

/** Tasks across the workflows that somebody sees. */
@Pages('search')
export class SearchController {
  constructor(private readonly searches: TaskSearches) {}

  @Get()
  async page(@AskedHere() { reader, request, query }: AskedOfPages): Promise<Reply> {
    const words = (query.get('q') ?? '').trim();
    const from = placeIn(query.get('from') ?? '');
    const some = words === '' ? [] : reader.workflows.slice(from, from + WORKFLOWS);
    const scopes = some.map((workflow) => readerScope(reader, request, workflow));
    const found = await this.searches.inAll(scopes, words);
    const next = from + WORKFLOWS < reader.workflows.length ? from + WORKFLOWS : undefined;
    return pageReply(<SearchPage search={{ words, found, next }} />);
  }
}

/** Of a page. */
export const WORKFLOWS = 20;

/** Among the workflows; what is no place is the first. */
const placeIn = (text: string): number => (/^\d{1,6}$/.test(text) ? Number(text) : 0);
