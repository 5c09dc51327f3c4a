import { busy, Refusal } from '../lib/errors.js';
import { Inject, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { type Principal, KnownKeys } from '../auth/api-keys.js';
import { type AccessRequest, bearerOf } from '../auth/api-key.guard.js';
import { CONFIG, type Config } from '../config.js';
import { pageAddress, type RequestAddress, textsOf } from '../http/paged-list.js';
import { listReply } from '../http/replies.js';
import { Reply } from '../lib/reply.js';
import { Rounds } from '../../packages/fair/rounds.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { knows } from '../workspace/narrowing.js';
import { workflowsKnownTo } from '../workspace/workspaces.js';
import { EventFeed, type FeedChunk, type FeedEvent, type StaleSource } from './event-feed.js';
import { type EventFilter, type FeedPosition } from './events.repository.js';
import { readParameters } from '../http/query.decorator.js';
import { FeedQuery } from './feed-query.js';
import { Followers } from './followers.js';
import { isOfAdministration } from '../entities/column-values.js';
import { whenClosed } from './when-closed.js';

/** Who reads the feed, and how. */
export interface FeedReader {
  readonly workspace: Workspace;
  readonly principal: Principal;
  readonly address: RequestAddress;
  /** Milliseconds that an empty answer is held. */
  readonly waitMs: number;
}

/** The feed of a workspace's events: in pages, which may be waited for, or as a stream. */
@Injectable()
export class EventsService {
  private readonly followers = new FairSemaphore(MAX_FOLLOWERS, busy('Too many follow the events.'));
  private readonly rounds = new Rounds(ROUND_MS);

  constructor(
    private readonly feed: EventFeed,
    private readonly waiting: Followers,
    private readonly keys: KnownKeys,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A page, or a stream where the client takes that. */
  read(reader: FeedReader): Reply {
    const query = readParameters(FeedQuery, reader.address.query);
    return new Reply((response) =>
      acceptsStream(response.req.headers.accept)
        ? this.stream(reader, query, response)
        : this.page(reader, query, response),
    );
  }

  private async page(reader: FeedReader, query: FeedQuery, response: Response): Promise<void> {
    const { workspace, principal, address, waitMs } = reader;
    const filter = filterOf(workspace, principal, query);
    let page = await this.readStale(reader, query, filter, response.req);
    if (page.events.length === 0 && waitMs > 0 && response.req.method !== 'HEAD')
      page = await this.awaited(reader, query, filter, page, response);
    if (waitMs > 0) response.setHeader('Preference-Applied', `wait=${waitMs / 1000}`);
    const next = pageAddress(this.config, address, this.feed.cursorOf(workspace, page.end));
    await listReply({
      texts: textsOf(principal, [page.events], ({ json }) => json),
      next,
      total: undefined,
    }).send(response);
  }

  /** From the replica where that may be read; a cursor that it does not know may be newer than what it has. */
  private async readStale(
    reader: FeedReader,
    query: FeedQuery,
    filter: EventFilter,
    request: AccessRequest,
  ): Promise<FeedChunk> {
    const source = query._after === 'now' ? undefined : this.feed.sourceOf(reader.principal, request);
    try {
      return await this.readPage(reader, query, filter, source);
    } catch (error) {
      if (source?.stale.mustRepeat() !== true) throw error;
      return this.readPage(reader, query, filter);
    }
  }

  /** The events that a query asks for, by now; its cursors are those of `cursorOf`. */
  async readPage(
    { workspace, principal }: Pick<FeedReader, 'workspace' | 'principal'>,
    query: FeedQuery,
    filter = filterOf(workspace, principal, query),
    source?: StaleSource,
  ): Promise<FeedChunk> {
    const begin = await this.feed.begin(workspace, query._after, source?.db);
    // What comes while this is answered stands behind the cursor of `now`.
    if (query._after === 'now') return { events: [], end: begin };
    return this.pageBehind(principal, begin, query, filter, source);
  }

  /** The first events that come within the time, or none. */
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

  /** As many events as are asked for, or fewer where a filter leaves out most of many or they are long. */
  private async pageBehind(
    principal: Principal,
    begin: FeedPosition,
    { _limit = '1000', field: fields }: FeedQuery,
    filter: EventFilter,
    source?: StaleSource,
  ): Promise<FeedChunk> {
    const last = await this.feed.last(principal.workspaceId, source);
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
        source?.db,
      );
      const matching = chunk.events.filter((event) => isMeant(event, fields, principal));
      events.push(...matching.slice(0, limit - events.length));
      length += matching.reduce((sum, { json }) => sum + json.length, 0);
      const isFull = events.length === limit && matching.length > 0;
      at = isFull ? positionOf(events.at(-1) ?? chunk.end) : chunk.end;
      if (isFull) break;
    }
    return { events, end: at };
  }

  private async stream(reader: FeedReader, query: FeedQuery, response: Response): Promise<void> {
    const { workspace, principal } = reader;
    const { 'last-event-id': lastEventId } = response.req.headers;
    const cursor = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query._after;
    const begin = await this.feed.begin(workspace, cursor);
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' };
    if (response.req.method === 'HEAD') return void response.writeHead(200, headers).end();
    await this.followers.use(principal, async () => {
      response.writeHead(200, headers);
      response.flushHeaders();
      await this.follow(reader, query, begin, response);
      response.end();
    });
  }

  /** Sends events as they come until the client leaves, its key ends or the service does. */
  private async follow(
    { workspace, principal }: FeedReader,
    query: FeedQuery,
    begin: FeedPosition,
    response: Response,
  ): Promise<void> {
    const signal = whenClosed(response);
    const filter = filterOf(workspace, principal, query);
    const key = bearerOf(response.req) ?? '';
    let written = performance.now();
    let at = begin;
    while (!signal.aborted && !this.waiting.isStopping && (await this.keys.find(key))) {
      // An event wakes all who follow at once.
      await this.rounds.do(() => undefined);
      const chunk = await this.feed.readShared(principal, at, EVENTS_OF_STREAM, filter);
      const isAtEnd = chunk.end.position === at.position;
      const pieces = this.piecesOf(workspace, chunk, query.field, principal);
      at = chunk.end;
      if (pieces.length > 0) await this.send(response, pieces);
      else if (performance.now() - written >= COMMENT_MS)
        // A comment keeps the connection open, and what is behind a filter need not be looked through again.
        await this.send(response, [
          Buffer.from(`: still here\nid: ${this.feed.cursorOf(workspace, at)}\n\n`),
        ]);
      else {
        if (isAtEnd) await this.waiting.wait(principal.workspaceId, at.position, LOOK_MS, signal);
        continue;
      }
      written = performance.now();
    }
  }

  /** The events of a chunk as a stream has them, made once for all who are sent them. */
  private piecesOf(
    workspace: Workspace,
    chunk: FeedChunk,
    fields: readonly string[] | undefined,
    { scope }: Principal,
  ): readonly Buffer[] {
    const ofChunk = sent.get(chunk) ?? new Map<string, readonly Buffer[]>();
    sent.set(chunk, ofChunk);
    const name = JSON.stringify([scope === 'admin', fields]);
    const events = chunk.events.filter((event) => isMeant(event, fields, { scope }));
    const pieces = ofChunk.get(name) ?? [...this.piecesOfEvents(workspace, events)];
    ofChunk.set(name, pieces);
    return pieces;
  }

  private *piecesOfEvents(workspace: Workspace, events: readonly FeedEvent[]): Generator<Buffer> {
    let text = '';
    for (const event of events) {
      text += `id: ${this.feed.cursorOf(workspace, event)}\ndata: ${event.json}\n\n`;
      if (text.length < PIECE_LENGTH) continue;
      yield Buffer.from(text);
      text = '';
    }
    if (text !== '') yield Buffer.from(text);
  }

  /** Sends pieces at the client's pace, and in turns with all others who are sent some. */
  private async send(response: Response, pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      const isTaken = await this.rounds.do(() => response.destroyed || response.write(piece));
      if (!isTaken) await drained(response);
    }
  }
}

const sent = new WeakMap<FeedChunk, Map<string, readonly Buffer[]>>();
const PIECE_LENGTH = 32_768;
/** Far below what others notice. */
const ROUND_MS = 10;

/** On one process; half of them with one key. */
const MAX_FOLLOWERS = 2000;
/** How long a page looks for what its filter lets through, and how much of it there may be. */
const MAX_SEARCH_MS = 1000;
const MAX_PAGE_LENGTH = 4_000_000;
/** Few at a time, for each who is slow to take them holds them in memory. */
const EVENTS_OF_STREAM = 100;
const COMMENT_MS = 15_000;
/** How often it is looked whether the key is still in force. */
const LOOK_MS = 2500;

function acceptsStream(accept = ''): boolean {
  return accept.split(',').some((type) => /^\s*text\/event-stream\s*(;|$)/i.test(type));
}

/** The ids behind the names of the query; what names nothing matches nothing. A narrowed key is told of the workflows that it knows, and when a definition was applied. */
function filterOf(
  workspace: Workspace,
  principal: Principal,
  { type, workflow, task, unique_id }: FeedQuery,
): EventFilter {
  const isNarrowed = principal.userId !== undefined || principal.narrowing?.workflows !== undefined;
  if (!type && !workflow && !task && !unique_id && !isNarrowed) return noFilter;
  const known = isNarrowed ? workflowsKnownTo(workspace, principal) : [...workspace.workflows.values()];
  const meant = known.filter(({ slug }) => !workflow || workflow.includes(slug));
  requireWholeSight(workspace, principal, meant);
  const workflowIds = workflow || isNarrowed ? meant.map(({ id }) => id) : undefined;
  // What a user saw of a workflow that is gone is not known.
  const formerWorkflows = principal.userId === undefined ? workflow?.filter(knownTo(principal)) : undefined;
  const besides = workflow ? undefined : 'definition.applied';
  return { types: type, workflowIds, formerWorkflows, besides, publicIds: task, uniqueIds: unique_id };
}

/** Throws (403) where the key acts as a user who does not see all tasks of these workflows and of those that are linked to them: the feed tells of all. */
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
      'The feed tells of all tasks of a workflow and of the tasks linked to them: the user of this key does not see all of these.',
    );
}

const knownTo =
  ({ narrowing }: Principal) =>
  (slug: string): boolean =>
    knows(narrowing, slug);

const noFilter: EventFilter = {};

/** Whether an event is asked for, and its reader is told of such ones. */
function isMeant(
  { type, changed }: FeedEvent,
  fields: readonly string[] | undefined,
  { scope }: Pick<Principal, 'scope'>,
): boolean {
  if (scope !== 'admin' && isOfAdministration(type)) return false;
  return !fields || changed.some((name) => fields.includes(name));
}

function positionOf({ position, tag }: FeedPosition): FeedPosition {
  return { position, tag };
}

async function drained(response: Response): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
    if (response.destroyed) done();
  });
}
