import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { Waiters } from '../../../packages/fair/waiters.js';
import { EventWaiters } from '../../events/event-waiters.js';
import { type Happening, readHappenings } from '../../events/happenings.js';
import { busy } from '../../common/errors.js';
import { type User } from '../../workflows/fields/field-type.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { readInboxMarks } from './inbox.repository.js';

/**
 * An open page that waits for changes. It shows the state after the event at `position` in the feed. `mark`
 * is the inbox's `mark` in that state (see `InboxState`).
 */
export interface OpenPage {
  readonly reader: { readonly workspace: Pick<Workspace, 'id'>; readonly user: Pick<User, 'id'> };
  readonly position: number;
  readonly mark: string;
  readonly concerns: (happening: Happening) => boolean;
}

interface Waiting extends OpenPage {
  position: number;
  isChanged: boolean;
}

/** Tells open pages when their data has changed. All pages of a process share the queries. */
@Injectable()
export class LiveChanges implements BeforeApplicationShutdown {
  private readonly open = new FairSemaphore(MAX_PAGES, busy('Too many pages are open.'), {
    ofKey: MAX_PAGES_OF_USER,
    waitTimeoutMs: 1000,
  });
  private readonly waiters = new Waiters<Waiting>(LOOK_MS, (all) => this.look(all));

  constructor(
    private readonly dataSource: DataSource,
    private readonly waiting: EventWaiters,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.waiters.stop();
  }

  /** Returns true as soon as the page or its reader's inbox changes, and false after 25 seconds. */
  async wait(page: OpenPage, signal: AbortSignal): Promise<boolean> {
    const waiting: Waiting = { ...page, isChanged: false };
    await this.open.use({ workspaceId: page.reader.workspace.id, keyId: page.reader.user.id }, () =>
      this.waiters.wait(waiting, WAIT_MS, signal),
    );
    return waiting.isChanged;
  }

  private async look(all: readonly Waiting[]): Promise<(waiting: Waiting) => boolean> {
    const ids = new Set(all.map(({ reader }) => reader.workspace.id));
    const ends = await this.waiting.ends(ids);
    await Promise.all(
      Array.from(ends, ([id, end]) => {
        const pages = all.filter(({ reader }) => reader.workspace.id === id);
        return this.lookIn(id, pages, end);
      }),
    );
    return ({ isChanged }) => isChanged;
  }

  private async lookIn(workspaceId: number, pages: readonly Waiting[], end: number): Promise<void> {
    const db = this.dataSource.manager;
    // If a page is more than MAX_EVENTS behind, reloading it is faster than reading the events.
    const isNear = ({ position }: Waiting): boolean => position <= end && end - position <= MAX_EVENTS;
    const from = Math.min(...pages.filter(isNear).map(({ position }) => position));
    const happenings = from < end ? await readHappenings(db, workspaceId, from, MAX_EVENTS) : [];
    const marks = await readInboxMarks(db, workspaceId, [
      ...new Set(pages.map(({ reader }) => reader.user.id)),
    ]);
    for (const page of pages) {
      const { position, concerns, reader, mark } = page;
      const isTold = happenings.some((each) => each.position > position && concerns(each));
      page.isChanged = isTold || !isNear(page) || marks.get(reader.user.id) !== mark;
      page.position = Math.max(position, happenings.at(-1)?.position ?? 0);
    }
  }
}

/** How many pages may wait at once. A hidden page does not wait. */
const MAX_PAGES = 2000;
const MAX_PAGES_OF_USER = 50;
const MAX_EVENTS = 1000;
const WAIT_MS = 25_000;
const LOOK_MS = 500;
