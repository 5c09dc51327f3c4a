import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { EventEntity } from './event.entity.js';
import { CONFIG, type Config } from '../config.js';
import { openCursor, sealCursor } from '../common/cursor.js';
import { busy, Refusal } from '../common/errors.js';
import { invalidField } from '../common/field-errors.js';
import { FairSemaphore, type Holder } from '../../packages/fair/semaphore.js';
import { pauses } from '../../packages/fair/turn.js';
import { taskUrlOf } from '../common/public-address.js';
import { knownIn } from '../workflows/model/known.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { type EventNames, namesOfEvents } from './event-names.js';
import {
  type EventFilter,
  type FeedPosition,
  type FeedRow,
  isKept,
  numberEvents,
  oldestPosition,
  readEvents,
  readFeed,
  type RecordedEvent,
} from './events.repository.js';
import { serializeEvent, type ShownEvent } from './serialize-event.js';

export interface FeedEvent extends ShownEvent, FeedPosition {}

export interface FeedChunk {
  readonly events: readonly FeedEvent[];
  /** Where the next read begins: after the last event of this read, even if the filter skipped the event. */
  readonly end: FeedPosition;
}

@Injectable()
export class EventFeed {
  private readonly reads: FairSemaphore;
  private readonly taskUrl: string;

  constructor(
    @InjectRepository(EventEntity) private readonly events: Repository<EventEntity>,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) config: Config,
  ) {
    this.reads = new FairSemaphore(Math.ceil(config.poolSize / 4), busy('Too many events are being read.'));
    this.taskUrl = taskUrlOf(config);
  }

  /** The end of the feed. Gives positions to all committed events first. */
  last(workspaceId: number): Promise<FeedPosition> {
    return numberEvents(this.events.manager, workspaceId);
  }

  /**
   * Where to begin: at a cursor, at the end (`now`), or at the oldest stored event (undefined). Throws (410)
   * if events after the cursor are no longer stored.
   */
  async begin(workspace: Workspace, cursor: string | undefined): Promise<FeedPosition> {
    const db = this.events.manager;
    if (cursor === undefined) return oldestPosition(db, workspace.id);
    if (cursor === 'now') return this.last(workspace.id);
    const [position, tag] = openCursor(holderOf(workspace), feedName, cursor) ?? [];
    if (position == null || tag == null) throw invalidField('_after', 'is not a cursor of this feed');
    const place = { position: Number(position), tag: Number(tag) };
    if (!(await isKept(db, workspace.id, place))) throw expired();
    return place;
  }

  cursorOf(workspace: Workspace, { position, tag }: FeedPosition): string {
    return sealCursor(holderOf(workspace), feedName, [String(position), String(tag)]);
  }

  /** Reads up to `limit` positions. Returns the events that match `filter`. Gives new events no positions. */
  async read(
    holder: Holder,
    after: FeedPosition,
    limit: number,
    filter: EventFilter = {},
  ): Promise<FeedChunk> {
    const { workspaceId } = holder;
    return this.reads.use(holder, async () => {
      const rows = await readFeed(this.events.manager, workspaceId, after.position, limit, filter);
      const end = rows.at(-1) ?? after;
      return { events: await this.show(holder, rows, filter), end: { position: end.position, tag: end.tag } };
    });
  }

  private async show(holder: Holder, rows: readonly FeedRow[], { known }: EventFilter): Promise<FeedEvent[]> {
    const events = eventsIn(rows);
    if (events.length === 0) return [];
    const names = await this.namesOf(holder.workspaceId, events, known);
    const shown: FeedEvent[] = [];
    const pause = pauses(holder);
    for (const { position, tag, event } of rows) {
      if (event) shown.push({ position, tag, ...serializeEvent(event, names) });
      await pause();
    }
    return shown;
  }

  /**
   * Reads the next positions, and the names that serializing needs. A position has an event only if the event
   * is stored and has one of these types.
   */
  async readRecorded(workspaceId: number, after: number, types: readonly string[]): Promise<RecordedPart> {
    const rows = await readFeed(this.events.manager, workspaceId, after, MAX_POSITIONS, { types });
    return { rows, names: await this.namesOf(workspaceId, eventsIn(rows)) };
  }

  /**
   * Maps the `place` of each event to its JSON for webhooks, or to undefined if the event was deleted. Leaves
   * out the last events if the values of all these events exceed about 2 MB.
   */
  async envelopes(
    workspaceId: number,
    places: readonly string[],
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const found = [...(await readEvents(this.events.manager, workspaceId, places))];
    const events = found.flatMap(([, event]) => event ?? []);
    const names = await this.namesOf(workspaceId, events);
    const pause = pauses({ workspaceId });
    const sent = new Map<string, string | undefined>();
    for (const [place, event] of found) {
      sent.set(place, event && serializeEvent(event, names).json);
      await pause();
    }
    return sent;
  }

  /** The names that the events need, from the current definition. */
  private async namesOf(
    workspaceId: number,
    events: readonly RecordedEvent[],
    known?: readonly number[],
  ): Promise<EventNames> {
    const workspace = await this.workspaces.inForce(workspaceId);
    return namesOfEvents(this.events.manager, workspace, this.taskUrl, events, knownIn(known));
  }
}

const eventsIn = (rows: readonly FeedRow[]): RecordedEvent[] => rows.flatMap(({ event }) => event ?? []);

interface RecordedPart {
  readonly rows: readonly FeedRow[];
  readonly names: EventNames;
}

/** The most positions that a webhook reads at once. */
const MAX_POSITIONS = 500;

const feedName = ['events'];

/** The cursors of the feed belong to the workspace, so the workflow id is 0. */
function holderOf({ rows }: Workspace): { readonly cursorKey: Buffer; readonly id: number } {
  return { cursorKey: rows.workspace.cursorKey, id: 0 };
}

const expired = (): Refusal =>
  new Refusal('cursor-expired', 'The events after this cursor are no longer stored: start again.');
