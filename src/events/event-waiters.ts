import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Waiters } from '../../packages/fair/waiters.js';
import { sql } from '../common/database/sql.js';

interface Place {
  readonly workspaceId: number;
  readonly position: number;
}

@Injectable()
export class EventWaiters implements BeforeApplicationShutdown {
  private readonly waiters = new Waiters<Place>(LEAST_PAUSE_MS, async (all) => {
    const last = await this.ends(new Set(all.map(({ workspaceId }) => workspaceId)));
    return ({ workspaceId, position }) => (last.get(workspaceId) ?? 0) > position;
  });

  constructor(private readonly dataSource: DataSource) {}

  /** Whether the service is stopping, so that requests must stop waiting. */
  get isStopping(): boolean {
    return this.waiters.isStopping;
  }

  /** Maps each workspace to the last position of its feed. Leaves out workspaces without workflows. */
  async ends(workspaceIds: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    const rows = await sql<{ id: number; position: number }>(this.dataSource.manager, numberMany, [
      [...workspaceIds],
    ]);
    return new Map(rows.map(({ id, position }) => [id, position]));
  }

  /** Resolves after `ms` milliseconds, or earlier if the feed has a later event or the signal aborts. */
  async wait(workspaceId: number, position: number, ms: number, signal: AbortSignal): Promise<void> {
    await this.waiters.wait({ workspaceId, position }, ms, signal);
  }

  /** Ends all waits, so that waiting requests are answered before the service closes their connections. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.waiters.stop();
  }
}

const LEAST_PAUSE_MS = 10;

// Gives positions to new events, so that waiting requests find them.
const numberMany = {
  name: 'number-events-of-many',
  scope: 'all workspaces' as const,
  text: `
    SELECT w.id, n.last_position::float8 AS position
    FROM unnest($1::integer[]) w (id) CROSS JOIN LATERAL number_events(w.id) n
    WHERE EXISTS (SELECT FROM workflows f WHERE f.workspace_id = w.id)`,
};
