import { Get } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { pageReply } from '../page.js';
import { SearchPage } from './search-page.js';
import { Searches, WORKFLOWS } from './searches.js';

/** Tasks across the workflows that somebody sees. */
@Pages('search')
export class SearchController {
  constructor(private readonly searches: Searches) {}

  @Get()
  async page(@AskedHere() { to, request, query }: AskedOfPages): Promise<Reply> {
    const words = (query.get('q') ?? '').trim();
    const from = placeIn(query.get('from') ?? '');
    const found = words === '' ? [] : await this.searches.inAll(to, request, words, from);
    const next = from + WORKFLOWS < to.workflows.length ? from + WORKFLOWS : undefined;
    return pageReply(<SearchPage to={to} search={{ words, found, next }} />);
  }
}

/** Among the workflows; what is no place is the first. */
const placeIn = (text: string): number => (/^\d{1,6}$/.test(text) ? Number(text) : 0);
