import { setTimeout as pause } from 'node:timers/promises';

/** Queries the changes that all callers wait for. Returns a function that tells whether a change has come. */
type Look<Wanted> = (all: readonly Wanted[]) => Promise<(wanted: Wanted) => boolean>;

interface Waiting<Wanted> {
  readonly wanted: Wanted;
  readonly wake: () => void;
}

/** Requests that wait for a change in the database. One query serves all. Without requests, no query runs. */
export class Waiters<Wanted> {
  private readonly waiting = new Set<Waiting<Wanted>>();
  private polling: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly pauseMs: number,
    private readonly look: Look<Wanted>,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Resolves as soon as the change comes, `ms` milliseconds pass, the signal aborts, or `stop` is called. */
  async wait(wanted: Wanted, ms: number, signal?: AbortSignal): Promise<void> {
    if (this.stopping || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.waiting.delete(waiting);
        resolve();
      };
      const waiting = { wanted, wake };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake);
      this.waiting.add(waiting);
      this.polling ??= this.poll();
    });
  }

  wake(hasCome: (wanted: Wanted) => boolean): void {
    for (const { wanted, wake } of this.waiting) if (hasCome(wanted)) wake();
  }

  /** Ends all waits, and lets later waits end at once. Resolves when the running query has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake(() => true);
    await this.polling;
  }

  /** Polls while requests wait. Each pause is at least as long as the last query, to limit the load. */
  private async poll(): Promise<void> {
    for (let restMs = this.pauseMs; this.waiting.size > 0;) {
      await pause(restMs);
      const begun = performance.now();
      await this.wakeThoseDue();
      restMs = Math.max(this.pauseMs, performance.now() - begun);
    }
    this.polling = undefined;
  }

  private async wakeThoseDue(): Promise<void> {
    if (this.waiting.size === 0) return;
    // If the query fails, the requests continue to wait.
    const hasCome = await this.look([...this.waiting].map(({ wanted }) => wanted)).catch(() => undefined);
    if (hasCome) this.wake(hasCome);
  }
}
