import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Listener, notify } from '../database/notifications.js';
import { Doorbell } from '../ops/doorbell.js';
import { JobParts } from '../ops/job-kind.js';
import { JobQueue } from './job-queue.js';
import { JobRunner } from './job-runner.js';

/** Makes this process look for due work: at intervals, and when something may have become due. */
@Injectable()
export class JobWaker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly looks: Looks;
  /** Identifies this process in notifications. */
  private readonly id = randomUUID();
  private readonly isWorker: boolean;
  private readonly isAsked: boolean;

  constructor(
    private readonly parts: JobParts,
    private readonly runner: JobRunner,
    private readonly queue: JobQueue,
    listener: Listener,
    private readonly adapter: HttpAdapterHost,
    doorbell: Doorbell,
  ) {
    this.isWorker = parts.config.role !== 'api';
    this.isAsked = parts.config.background === 'asked';
    this.looks = new Looks((isRegular) => this.look(isRegular));
    if (this.isWorker && !this.isAsked)
      listener.on('wts_jobs', (news) => {
        this.hear(news);
      });
    doorbell.answer({
      ring: (kind, job) => {
        if (!this.isAsked) this.ring(kind, job);
      },
      demand: (kind, isWanted) => {
        if (this.isAsked) runner.demand({ kind, isWanted });
      },
    });
  }

  onApplicationBootstrap(): void {
    if (this.isAsked) return;
    this.wakeAfterWrites();
    if (!this.isWorker) return;
    this.runner.onEnd = () => {
      this.looks.wake();
    };
    this.looks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looks.stop();
  }

  private ring(kind: string, job: object): void {
    this.queue.add({ kind, job }, () => {
      if (this.isWorker) this.runner.begin(kind, job);
      else this.looks.wake();
    });
  }

  /** Looks for due work after each write request, because a write may start rules, for example. */
  private wakeAfterWrites(): void {
    const server = this.adapter.httpAdapter.getHttpServer() as Server;
    server.on('request', ({ method }: IncomingMessage, response: ServerResponse) => {
      if (method !== 'GET' && method !== 'HEAD') response.once('close', () => { this.looks.wake(); }); // prettier-ignore
    });
  }

  /** Handles a notification: another process has looked for due work, or has announced work. */
  private hear(news: string | undefined): void {
    const [from, found] = news?.split(' ') ?? [];
    if (news === undefined || from === this.id) return;
    this.looks.wait();
    if (found === 'due') this.looks.wake();
  }

  /** A process that runs no background work only notifies the others. */
  private async look(isRegular: boolean): Promise<number> {
    if (this.isWorker) return this.runner.look(isRegular ? this.id : undefined);
    await notify(this.parts.db, 'wts_jobs', `${this.id} due`).catch(() => undefined);
    return Infinity;
  }
}

/**
 * Decides when this process looks for due work. One process of the installation looks once a second and
 * notifies the other processes. Each of these then waits again for a little more than a second. If no
 * notification arrives in that time, because the first process is gone or suspended, one of these looks.
 */
export class Looks {
  private regular: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;
  private instant: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private endedAt = -Infinity;
  private isStopped = false;

  /** `look` returns the number of milliseconds until the next work is due. `look` must not throw. */
  constructor(private readonly look: (isRegular: boolean) => Promise<number>) {}

  start(): void {
    this.plan(0);
  }

  /** Starts the wait again, because another process has looked or has announced work. */
  wait(): void {
    this.plan(PERIOD_MS + MARGIN_MS * (1 + 2 * Math.random()));
  }

  /** Looks soon, at most every 150 ms, because something may be due. */
  wake(): void {
    if (this.isStopped || this.soon) return;
    this.soon = setTimeout(
      () => {
        this.soon = undefined;
        void this.begin(false);
      },
      Math.max(0, this.endedAt + GAP_MS - performance.now()),
    ).unref();
  }

  /** Stops looking. Resolves when a running search for due work has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of [this.regular, this.soon, this.instant]) clearTimeout(timer);
    await this.current;
  }

  private plan(ms: number): void {
    clearTimeout(this.regular);
    if (this.isStopped) return;
    this.regular = setTimeout(() => {
      void this.begin(true).then(() => {
        this.plan(PERIOD_MS);
      });
    }, ms).unref();
  }

  private begin(isRegular: boolean): Promise<void> {
    return (this.current = this.current.then(async () => {
      if (this.isStopped) return;
      const nextMs = await this.look(isRegular);
      this.endedAt = performance.now();
      if (nextMs < PERIOD_MS) this.wakeIn(nextMs);
    }));
  }

  /** Looks again in `ms`, when work is due. */
  private wakeIn(ms: number): void {
    clearTimeout(this.instant);
    this.instant = setTimeout(() => {
      this.wake();
    }, ms).unref();
  }
}

const PERIOD_MS = 1000;
const MARGIN_MS = 100;
const GAP_MS = 150;
