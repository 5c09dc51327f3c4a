import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { numberEventsOf } from './events.repository.js';

interface Waiting {
  readonly workspaceId: number;
  readonly position: number;
  readonly wake: () => void;
}

/** Who waits for the next event of a workspace: one poll for all of them, and none while nobody waits. */
@Injectable()
export class Followers implements BeforeApplicationShutdown {
  /** Whether nobody is to wait any longer. */
  isStopping = false;
  private readonly waiting = new Set<Waiting>();
  private polling: Promise<void> | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** Resolves when there is an event behind this position, the time is up, the signal comes or the service ends. */
  async wait(workspaceId: number, position: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.isStopping || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.waiting.delete(waiting);
        resolve();
      };
      const waiting = { workspaceId, position, wake };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
      this.waiting.add(waiting);
      this.polling ??= this.poll();
    });
  }

  /** Runs before the connections are closed, for closing them waits for the answers. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const { wake } of this.waiting) wake();
    await this.polling;
  }

  /** Looks as long as somebody waits. It rests at least as long as it looked: many workspaces take no more of the database. */
  private async poll(): Promise<void> {
    while (this.waiting.size > 0) {
      const begun = performance.now();
      await this.look();
      await pause(Math.max(LEAST_PAUSE_MS, performance.now() - begun));
    }
    this.polling = undefined;
  }

  private async look(): Promise<void> {
    const workspaces = new Set([...this.waiting].map(({ workspaceId }) => workspaceId));
    // Where the database is away they wait on, and their next request is told.
    const last = await numberEventsOf(this.dataSource.manager, [...workspaces]).catch(() => new Map());
    for (const { workspaceId, position, wake } of this.waiting)
      if ((last.get(workspaceId) ?? 0) > position) wake();
  }
}

const LEAST_PAUSE_MS = 10;
