import {
  applyDecorators,
  type BeforeApplicationShutdown,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { type Response } from 'express';
import { DataSource } from 'typeorm';
import { Waiters } from '../../packages/fair/waiters.js';
import { type AccessRequest } from '../auth/api-key.guard.js';
import { scopeOfRequest } from '../auth/current.decorators.js';
import { sql } from '../database/sql.js';
import { preferredSeconds } from '../http/preferred-wait.js';
import { Doorbell } from '../ops/doorbell.js';
import { Workspaces } from '../workspace/workspaces.js';
import { EventFeed } from './event-feed.js';
import { followJob } from './follower.js';
import { whenClosed } from './when-closed.js';
import { type FeedPosition } from './events.repository.js';

/** A position in the feed that a request waits for all followers to pass. */
interface Passed {
  readonly workspaceId: number;
  readonly position: number;
}

const PAUSE_MS = 50;
const MAX_WAITING = 1000;

/** Reports how far the followers have come, and lets requests wait for them. */
@Injectable()
export class FollowedReads implements BeforeApplicationShutdown {
  private readonly waiters = new Waiters<Passed>(PAUSE_MS, async (all) => {
    const ids = [...new Set(all.map(({ workspaceId }) => workspaceId))];
    const rows = await sql<Passed>(this.dataSource.manager, readAll, [ids]);
    const positions = new Map(rows.map(({ workspaceId, position }) => [workspaceId, position]));
    return ({ workspaceId, position }) => (positions.get(workspaceId) ?? Infinity) >= position;
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: EventFeed,
    private readonly workspaces: Workspaces,
    private readonly doorbell: Doorbell,
  ) {}

  /** The position of the slowest follower of a workspace, as a cursor of its feed. */
  async asOf(workspaceId: number): Promise<string> {
    const workspace = await this.workspaces.get(workspaceId);
    const [place] = await sql<FeedPosition>(this.dataSource.manager, readOne, [workspaceId]);
    return this.feed.cursorOf(workspace, place ?? { position: 0, tag: 0 });
  }

  /** Resolves when the followers have passed all events committed by now, the time is up, or the wait is aborted. */
  async wait(workspaceId: number, ms: number, signal: AbortSignal): Promise<void> {
    const { position } = await this.feed.last(workspaceId);
    const [followed] = await sql<FeedPosition>(this.dataSource.manager, readOne, [workspaceId]);
    if ((followed?.position ?? Infinity) >= position || this.waiters.size >= MAX_WAITING) return;
    this.doorbell.demand(followJob, (due) => Reflect.get(due, 'workspaceId') === workspaceId);
    await this.waiters.wait({ workspaceId, position }, ms, signal);
  }

  /** Runs before connections are closed, because closing them waits for the answers. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.waiters.stop();
  }
}

const readAll = {
  name: 'read-followed-positions',
  scope: 'all workspaces' as const,
  text: `
    SELECT workspace_id AS "workspaceId", min(position)::float8 AS position FROM followers
    WHERE workspace_id = ANY ($1::integer[]) GROUP BY workspace_id`,
};

// Without followers the end of the feed counts.
const readOne = {
  name: 'read-followed-position',
  text: `
    SELECT p.position::float8 AS position, COALESCE(
      CASE WHEN p.position > s.dropped_to THEN (
        SELECT c.tag FROM event_chunks c
        WHERE c.workspace_id = $1 AND c.last_position >= p.position ORDER BY c.last_position LIMIT 1
      ) END, s.dropped_tag, 0) AS tag
    FROM event_streams s CROSS JOIN LATERAL (
      SELECT GREATEST(s.dropped_to, COALESCE(min(position), s.last_position)) AS position
      FROM followers WHERE workspace_id = $1
    ) p
    WHERE s.workspace_id = $1`,
};

/** Waits for followers if the request asks for that, and reports their position before the read begins. */
@Injectable()
class AsOfGuard implements CanActivate {
  constructor(private readonly followed: FollowedReads) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const { workspaceId } = scopeOfRequest(context);
    const where = Reflect.getMetadata(readsWhere, context.getHandler()) as RegExp | undefined;
    if (where?.test(request.originalUrl) === false) return true;
    const seconds = preferredSeconds(request);
    if (seconds > 0) {
      const wait = (): Promise<void> => this.followed.wait(workspaceId, seconds * 1000, whenClosed(response));
      await (request.deadline ? request.deadline.except(wait) : wait());
      response.setHeader('Preference-Applied', `wait=${seconds}`);
    }
    response.setHeader('As-Of', await this.followed.asOf(workspaceId));
    return true;
  }
}

const readsWhere = 'reads-followed-where';

/**
 * Marks a read of data that followers write: `As-Of` reports their position, and `Prefer: wait=N` waits for them. With
 * a pattern this applies only to addresses that match it.
 */
export const ReadsFollowed = (where?: RegExp): MethodDecorator =>
  applyDecorators(SetMetadata(readsWhere, where), UseGuards(AsOfGuard));
