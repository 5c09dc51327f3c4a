import { setTimeout as pause } from 'node:timers/promises';

/** Says of those who wait, by what they wait for, whose time has come. */
type Look<Wanted> = (all: readonly Wanted[]) => Promise<(wanted: Wanted) => boolean>;

interface Waiting<Wanted> {
  readonly wanted: Wanted;
  readonly wake: () => void;
}

/** Requests that wait for something that only a look at the database tells: one look for all, and none while nobody waits. */
export class Waiters<Wanted> {
  private readonly waiting = new Set<Waiting<Wanted>>();
  private polling: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly pauseMs: number,
    private readonly look: Look<Wanted>,
  ) {}

  /** How many wait. */
  get size(): number {
    return this.waiting.size;
  }

  /** Whether nobody is to wait any longer. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Resolves when what is wanted has come, the time is up, the signal comes or the service ends. */
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

  /** Wakes those who want this. */
  wake(hasCome: (wanted: Wanted) => boolean): void {
    for (const { wanted, wake } of this.waiting) if (hasCome(wanted)) wake();
  }

  /** Sends all away, now and from now on; resolves when the look under way has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake(() => true);
    await this.polling;
  }

  /** Looks as long as somebody waits. It rests at least as long as it looked: many who wait take no more of the database. */
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
    // Where the database is away they wait on, and their next request is told.
    const hasCome = await this.look([...this.waiting].map(({ wanted }) => wanted)).catch(() => undefined);
    if (hasCome) this.wake(hasCome);
  }
}
