import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { DataSource } from 'typeorm';
import { isSignedIn } from '../../auth/sessions.js';
import { EventFeed } from '../../events/event-feed.js';
import { type FeedPosition } from '../../events/events.repository.js';
import { Followers } from '../../events/followers.js';
import { Reply } from '../../lib/reply.js';
import { FairSemaphore, type Holder } from '../../lib/semaphore.js';
import { type SignedIn } from '../reader.js';

/** Tells open pages that their task has changed: what has, they ask for themselves. */
@Injectable()
export class LiveTasks {
  private readonly open = new FairSemaphore(MAX_PAGES, 'Too many pages are open.');

  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: EventFeed,
    private readonly followers: Followers,
  ) {}

  /** A stream of server-sent events, until the page is closed or its session ends. */
  stream(to: SignedIn, publicId: string): Reply {
    const holder = { workspaceId: to.session.workspaceId, keyId: to.user.id };
    return new Reply((response) => this.open.use(holder, () => this.follow(to, holder, publicId, response)));
  }

  private async follow(
    { session }: SignedIn,
    holder: Holder,
    publicId: string,
    response: Response,
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    let at = await this.feed.last(holder.workspaceId);
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
    });
    response.write(': open\n\n');
    while (!gone.signal.aborted && !this.followers.isStopping) {
      await this.followers.wait(holder.workspaceId, at.position, LOOK_MS, gone.signal);
      if (!(await isSignedIn(this.dataSource.manager, session))) break;
      at = await this.tell(holder, at, publicId, response);
    }
    response.end();
  }

  /** Writes one line for all that has happened to the task since; a comment where nothing has, for proxies cut what is silent. */
  private async tell(
    holder: Holder,
    at: FeedPosition,
    publicId: string,
    response: Response,
  ): Promise<FeedPosition> {
    const { events, end } = await this.feed.readShared(holder, at, EVENTS_AT_ONCE, { publicIds: [publicId] });
    response.write(events.length > 0 ? 'data: changed\n\n' : ':\n\n');
    return end;
  }
}

const MAX_PAGES = 2000;
const LOOK_MS = 15_000;
const EVENTS_AT_ONCE = 1000;
