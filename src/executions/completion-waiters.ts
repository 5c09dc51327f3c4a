import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Repeated } from '../lib/repeated.js';
import { endedOf, type ExecutionKey } from './executions.repository.js';

interface Waiting {
  readonly key: ExecutionKey;
  readonly wake: () => void;
}

/** Requests that wait for executions to end: one poll for all of them, and none while nobody waits. */
@Injectable()
export class Waiters implements BeforeApplicationShutdown {
  private readonly waiting = new Set<Waiting>();
  private readonly repeated = new Repeated(POLL_INTERVAL_MS, () => this.look());
  private isStopping = false;

  constructor(private readonly dataSource: DataSource) {
    this.repeated.start();
  }

  /** Resolves when the execution has ended, the time is up, or nobody more can be waited for. */
  async wait(key: ExecutionKey, ms: number): Promise<void> {
    if (this.isStopping || this.waiting.size >= MAX_WAITING) return;
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        key,
        wake: () => {
          clearTimeout(timer);
          this.waiting.delete(waiting);
          resolve();
        },
      };
      const timer = setTimeout(waiting.wake, ms);
      this.waiting.add(waiting);
    });
  }

  /** Tells those who wait for an execution that it has ended here. */
  wake(ended: ExecutionKey): void {
    for (const { key, wake } of this.waiting)
      if (key.id === ended.id && key.workspaceId === ended.workspaceId) wake();
  }

  /** Runs before the connections are closed, for closing them waits for the answers. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const { wake } of this.waiting) wake();
    await this.repeated.stop();
  }

  private async look(): Promise<void> {
    if (this.waiting.size === 0) return;
    const keys = [...this.waiting].map(({ key }) => key);
    const ended = await endedOf(this.dataSource.manager, keys).catch(() => []);
    for (const key of ended) this.wake(key);
  }
}

const POLL_INTERVAL_MS = 50;
const MAX_WAITING = 1000;
