import { isOfAdministration } from './serialize-event.js';
import { type Principal, type AccessRequest } from '../common/request.js';
import { busy, Refusal } from '../common/errors.js';
import { Inject, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { CONFIG, type Config } from '../config.js';
import { pageAddress, type RequestAddress, textsOf } from '../common/http/paged-list.js';
import { listReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { knownTo, knows, workflowsKnownTo } from '../workflows/model/known.js';
import { EventFeed, type FeedChunk, type FeedEvent } from './event-feed.js';
import { type EventFilter, type FeedPosition } from './events.repository.js';
import { readParameters } from '../common/http/query.decorator.js';
import { FeedQuery } from './feed-query.js';
import { EventWaiters } from './event-waiters.js';
import { whenClosed } from './when-closed.js';

interface FeedReader {
  readonly workspace: Workspace;
  readonly principal: Principal;
  readonly address: RequestAddress;
  /** The most milliseconds to wait for an event. */
  readonly waitMs: number;
}

/** Answers requests for the events of a workspace, page by page. A request may wait for new events. */
@Injectable()
export class EventsService {
  private readonly followers = new FairSemaphore(MAX_FOLLOWERS, busy('Too many clients follow the events.'));

  constructor(
    private readonly feed: EventFeed,
    private readonly waiting: EventWaiters,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Answers with a page of events. If there is no event, waits up to `waitMs` for events. */
  read(reader: FeedReader): Reply {
    const query = readParameters(FeedQuery, reader.address.query);
    return (response) => this.page(reader, query, response);
  }

  private async page(reader: FeedReader, query: FeedQuery, response: Response): Promise<void> {
    const { workspace, principal, address, waitMs } = reader;
    const filter = filterOf(workspace, principal, query);
    let page = await this.readPage(reader, query, filter);
    if (page.events.length === 0 && waitMs > 0 && response.req.method !== 'HEAD')
      page = await this.awaited(reader, query, filter, page, response);
    if (waitMs > 0) response.setHeader('Preference-Applied', `wait=${waitMs / 1000}`);
    const next = pageAddress(this.config, address, this.feed.cursorOf(workspace, page.end));
    const texts = textsOf(principal, [page.events], ({ json }) => json);
    await listReply({ texts, next, total: undefined })(response);
  }

  /** The events that a query selects now. */
  private async readPage(
    { workspace, principal }: FeedReader,
    query: FeedQuery,
    filter: EventFilter,
  ): Promise<FeedChunk> {
    const begin = await this.feed.begin(workspace, query._after);
    // A client that begins at `now` gets only later events.
    if (query._after === 'now') return { events: [], end: begin };
    return this.pageBehind(principal, begin, query, filter);
  }

  /** Waits for the next events. The page is empty if no event arrives in time. */
  private async awaited(
    { principal, waitMs }: FeedReader,
    query: FeedQuery,
    filter: EventFilter,
    empty: FeedChunk,
    response: Response,
  ): Promise<FeedChunk> {
    const { deadline }: AccessRequest = response.req;
    const end = performance.now() + waitMs;
    const signal = whenClosed(response);
    const wait = async (): Promise<FeedChunk> => {
      for (let page = empty; ; page = await this.pageBehind(principal, page.end, query, filter)) {
        const left = end - performance.now();
        if (page.events.length > 0 || left <= 0 || signal.aborted || this.waiting.isStopping) return page;
        await this.waiting.wait(principal.workspaceId, page.end.position, left, signal);
      }
    };
    const held = (): Promise<FeedChunk> => this.followers.use(principal, wait);
    return deadline ? deadline.except(held) : held();
  }

  /** Up to `_limit` events; fewer if events are long, or if the search for matching events takes too long. */
  private async pageBehind(
    principal: Principal,
    begin: FeedPosition,
    { _limit = '1000', field: fields }: FeedQuery,
    filter: EventFilter,
  ): Promise<FeedChunk> {
    const last = await this.feed.last(principal.workspaceId);
    const limit = Number(_limit);
    const until = performance.now() + MAX_SEARCH_MS;
    const events: FeedEvent[] = [];
    let length = 0;
    let at = begin;
    while (at.position < last.position && length < MAX_PAGE_LENGTH && performance.now() < until) {
      const chunk = await this.feed.read(
        principal,
        at,
        filter === noFilter ? limit - events.length : 1000,
        filter,
      );
      const matching = chunk.events.filter((event) => isMeant(event, fields, principal));
      events.push(...matching.slice(0, limit - events.length));
      length += matching.reduce((sum, { json }) => sum + json.length, 0);
      const isFull = events.length === limit && matching.length > 0;
      at = isFull ? (events.at(-1) ?? chunk.end) : chunk.end;
      if (isFull) break;
    }
    return { events, end: at };
  }
}

/** At most this many requests wait in a process. One key may have half of this number. */
const MAX_FOLLOWERS = 2000;
/** The limits of one search for matching events, in milliseconds and in characters of JSON. */
const MAX_SEARCH_MS = 1000;
const MAX_PAGE_LENGTH = 4_000_000;

/** Compiles a query. Unknown names match no event. A restricted key gets no events of hidden workflows. */
function filterOf(
  workspace: Workspace,
  principal: Principal,
  { type, workflow, task, unique_id }: FeedQuery,
): EventFilter {
  const isNarrowed = principal.userId !== undefined || principal.narrowing?.workflows !== undefined;
  if (!type && !workflow && !task && !unique_id && !isNarrowed) return noFilter;
  const all = isNarrowed ? workflowsKnownTo(workspace, principal) : [...workspace.workflows.values()];
  const meant = all.filter(({ slug }) => !workflow || workflow.includes(slug));
  requireWholeSight(workspace, principal, meant);
  const workflowIds = workflow || isNarrowed ? meant.map(({ id }) => id) : undefined;
  // A user gets no event of a deleted workflow, because the permissions in that workflow are unknown.
  const formerWorkflows =
    principal.userId === undefined ? workflow?.filter((slug) => knows(principal.narrowing, slug)) : undefined;
  const besides = workflow ? undefined : 'definition.applied';
  const known = knownTo(workspace, principal);
  return { types: type, workflowIds, formerWorkflows, besides, publicIds: task, uniqueIds: unique_id, known };
}

/** Throws (403) if the key's user does not see all tasks of these workflows and of their linked workflows. */
function requireWholeSight(
  { permissions }: Workspace,
  { userId }: Principal,
  known: readonly Workflow[],
): void {
  if (userId === undefined) return;
  const { whole } = permissions.sightOf(userId);
  const told = known.flatMap(({ id, schema }) => [
    id,
    ...Array.from(schema.links.values(), ({ otherWorkflowId }) => otherWorkflowId),
  ]);
  if (!told.every((id) => whole.includes(id)))
    throw new Refusal(
      'forbidden',
      'The user of this key cannot see every task of these workflows and of linked workflows. Therefore, the key cannot read the events of these workflows.',
    );
}

const noFilter: EventFilter = {};

function isMeant(
  { type, changed }: FeedEvent,
  fields: readonly string[] | undefined,
  { scope }: Pick<Principal, 'scope'>,
): boolean {
  if (scope !== 'admin' && isOfAdministration(type)) return false;
  return !fields || changed.some((name) => fields.includes(name));
}
