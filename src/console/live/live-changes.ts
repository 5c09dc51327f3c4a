import { busy } from '../../lib/errors.js';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventFeed } from '../../events/event-feed.js';
import { Followers } from '../../events/followers.js';
import { type Happening, readHappenings } from '../../events/happenings.js';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { type SignedIn } from '../reader.js';

/** What a page is of: a task of a workflow, a workflow, the executions that the reader watches over, what others have to do, their inbox, nothing but its badge, or what is the reader's own. */
interface LivePage {
  readonly workflow?: string;
  readonly task?: string;
  readonly of?: 'executions' | 'inbox' | 'badge' | 'team';
}

/** Where a page asks for changes; `after` is the cursor of the feed from which it was read, `inbox` the mark of its reader's inbox. */
export function livePath(page: LivePage & { readonly after?: string; readonly inbox: string }): string {
  return `/live?${new URLSearchParams({ ...page }).toString()}`;
}

/** An open page that waits. */
export interface Watch {
  readonly to: SignedIn;
  /** The cursor of the feed from which the page was read. */
  readonly after: string | undefined;
  readonly concerns: (happening: Happening) => boolean;
  /** Comes when the page is closed. */
  readonly signal: AbortSignal;
}

/** Tells open pages that what they show has changed: what has, they ask for themselves. */
@Injectable()
export class LiveChanges {
  private readonly open = new FairSemaphore(MAX_PAGES, busy('Too many pages are open.'), {
    ofKey: MAX_PAGES_OF_USER,
    waitTimeoutMs: 1000,
  });
  /** By workspace. */
  private readonly readers = new Map<number, SharedReader>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: EventFeed,
    private readonly followers: Followers,
  ) {}

  /** Where a page asks for what changes from now on; to be called before that is read which it shows. */
  async path({ workspace, inbox }: SignedIn, page: LivePage = {}): Promise<string> {
    const after = this.feed.cursorOf(workspace, await this.feed.last(workspace.id));
    return livePath({ ...page, after, inbox: inbox.mark });
  }

  /** Whether what `read` gives becomes another within half a minute: for what no event tells of. */
  async waitUntilNot(
    to: SignedIn,
    known: string,
    read: () => Promise<string>,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.open.use({ workspaceId: to.workspace.id, keyId: to.user.id }, async () => {
      for (let waited = 0; waited < WAIT_MS && !signal.aborted; waited += LOOK_MS) {
        if ((await read()) !== known) return true;
        await pause(LOOK_MS);
      }
      return false;
    });
  }

  /** Whether anything that concerns the page happens within half a minute; answers as soon as it does. */
  async wait({ to, after, concerns, signal }: Watch): Promise<boolean> {
    const workspaceId = to.workspace.id;
    return this.open.use({ workspaceId, keyId: to.user.id }, async () => {
      const last = await this.feed.last(workspaceId);
      const begin = await this.feed.begin(to.workspace, after ?? 'now').catch(() => undefined);
      // From further back it is quicker to look at the page than at what happened.
      if (!begin || last.position - begin.position > MAX_EVENTS) return true;
      return this.readerOf(workspaceId).wait(begin.position, concerns, signal);
    });
  }

  private readerOf(workspaceId: number): SharedReader {
    const known = this.readers.get(workspaceId);
    if (known) return known;
    const reader = new SharedReader(workspaceId, this.dataSource, this.followers, () =>
      this.readers.delete(workspaceId),
    );
    this.readers.set(workspaceId, reader);
    return reader;
  }
}

/** Visible ones: a page that nobody sees does not wait. */
const MAX_PAGES = 2000;
const MAX_PAGES_OF_USER = 50;
const MAX_EVENTS = 1000;
const WAIT_MS = 25_000;
const LOOK_MS = 1000;
/** What happens in quick succession is told at once. */
const PAUSE_MS = 250;

interface Waiting {
  /** How far it has been looked for this page. */
  position: number;
  readonly concerns: (happening: Happening) => boolean;
  readonly tell: (isChanged: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** Reads the feed of a workspace once for all pages that wait, and not at all while none does. */
class SharedReader {
  private readonly waiting = new Set<Waiting>();
  private joined = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly workspaceId: number,
    private readonly dataSource: DataSource,
    private readonly followers: Followers,
    private readonly onEnd: () => void,
  ) {}

  async wait(position: number, concerns: Waiting['concerns'], signal: AbortSignal): Promise<boolean> {
    let leave = (): void => undefined;
    const told = new Promise<boolean>((resolve, reject) => {
      const waiting = { position, concerns, tell: resolve, fail: reject };
      const timer = setTimeout(resolve, WAIT_MS, false);
      const close = (): void => {
        resolve(false);
      };
      leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', close);
        this.waiting.delete(waiting);
        if (this.waiting.size === 0) this.joined.abort();
      };
      signal.addEventListener('abort', close);
      if (signal.aborted) close();
      this.join(waiting);
    });
    return told.finally(leave);
  }

  private join(waiting: Waiting): void {
    this.waiting.add(waiting);
    // It may be of an earlier time than the others.
    this.joined.abort();
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.size > 0) await this.look();
    } catch (error) {
      for (const { fail } of this.waiting) fail(error);
    }
    this.onEnd();
  }

  /** Waits for the next event, tells whom it concerns, and rests a little. */
  private async look(): Promise<void> {
    const after = Math.min(...Array.from(this.waiting, ({ position }) => position));
    this.joined = new AbortController();
    const { signal } = this.joined;
    await this.followers.wait(this.workspaceId, after, WAIT_MS, signal);
    if (this.followers.isStopping) for (const { tell } of this.waiting) tell(false);
    else if (!signal.aborted)
      this.tell(after, await readHappenings(this.dataSource.manager, this.workspaceId, after, MAX_EVENTS));
    // The pages that were told leave, others come.
    await pause(signal.aborted ? 0 : PAUSE_MS);
  }

  private tell(after: number, happenings: readonly Happening[]): void {
    const end = happenings.at(-1)?.position ?? 0;
    for (const each of this.waiting) {
      const { position, concerns, tell } = each;
      // Who came meanwhile may be of an earlier time, and is looked for next.
      if (position < after) continue;
      if (happenings.some((happening) => happening.position > position && concerns(happening))) tell(true);
      each.position = Math.max(position, end);
    }
  }
}
