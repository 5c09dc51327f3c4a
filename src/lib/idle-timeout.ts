import { Refusal } from './errors.js';

/** How much of a body has to come in each window of time. */
export interface LeastRate {
  readonly windowMs: number;
  readonly bytes: number;
}

const usual: LeastRate = { windowMs: 10_000, bytes: 80_000 };

/** Watches a body that is being read: of one that takes longer than 10 s, 80 kB have to come in each 10 s. */
export class IdleTimeout {
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly refuse: (refusal: Refusal) => void,
    private readonly least = usual,
  ) {}

  /** Begins to watch, or begins again. */
  start(): void {
    this.bytes = 0;
    this.timer = setTimeout(() => {
      if (this.bytes >= this.least.bytes) this.start();
      else this.refuse(new Refusal('too-slow', 'The body comes too slowly.', { Connection: 'close' }));
    }, this.least.windowMs);
  }

  /** The client cannot help it when nothing is read. */
  stop(): void {
    clearTimeout(this.timer);
  }

  count(bytes: number): void {
    this.bytes += bytes;
  }
}
