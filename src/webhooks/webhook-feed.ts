import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { sourceOf, type Cause } from '../common/origin.js';
import { type EventNames, namesOfEvents } from '../events/event-names.js';
import { type FeedRow, readEvents, readFeed, type RecordedEvent } from '../events/events.repository.js';
import { serializeEvents } from '../events/serialize-event.js';
import { taskUrlOf } from '../common/public-address.js';
import { Workspaces } from '../workflows/model/workspaces.js';

interface FeedPart {
  readonly rows: readonly FeedRow[];
  readonly names: EventNames;
}

export interface SentEvent {
  readonly envelope: string;
  readonly cause: Cause | undefined;
  /** The `traceparent` of the work that recorded it. */
  readonly trace: string | undefined;
}

@Injectable()
export class WebhookFeed {
  private readonly taskUrl: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) config: Config,
  ) {
    this.taskUrl = taskUrlOf(config);
  }

  /** The next events after a position; only those of these types are returned. */
  async read(workspaceId: number, after: number, types: readonly string[]): Promise<FeedPart> {
    const rows = await readFeed(this.dataSource.manager, workspaceId, after, MAX_POSITIONS, { types });
    const events = rows.flatMap(({ event }) => event ?? []);
    return { rows, names: await this.namesOf(workspaceId, events) };
  }

  /** The first of the events with these places, as `readEvents` finds them. */
  async show(
    workspaceId: number,
    places: readonly string[],
  ): Promise<ReadonlyMap<string, SentEvent | undefined>> {
    if (places.length === 0) return new Map();
    const found = await readEvents(this.dataSource.manager, workspaceId, places);
    const events = [...found.values()].flatMap((event) => event ?? []);
    const names = await this.namesOf(workspaceId, events);
    const shown = await serializeEvents(events, names);
    const sent = new Map(
      events.map(({ place, origin }, at) => {
        const { cause, trace } = sourceOf(origin);
        return [place, { envelope: shown[at]?.json ?? '', cause, trace }];
      }),
    );
    return new Map(Array.from(found.keys(), (place) => [place, sent.get(place)]));
  }

  private async namesOf(workspaceId: number, events: readonly RecordedEvent[]): Promise<EventNames> {
    const workspace = await this.workspaces.get(workspaceId);
    return namesOfEvents(this.dataSource.manager, workspace, this.taskUrl, events);
  }
}

const MAX_POSITIONS = 500;
