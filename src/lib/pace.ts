import { Refusal } from './errors.js';

const windowMs = 10_000;
const leastBytes = 80_000;

/** Watches a body that is being read: of one that takes longer than 10 s, 80 kB have to come in each 10 s. */
export class Pace {
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly refuse: (refusal: Refusal) => void) {}

  /** Begins to watch, or begins again. */
  start(): void {
    this.bytes = 0;
    this.timer = setTimeout(() => {
      if (this.bytes >= leastBytes) this.start();
      else this.refuse(new Refusal('too-slow', 'The body comes too slowly.', { Connection: 'close' }));
    }, windowMs);
  }

  /** The client cannot help it when nothing is read. */
  stop(): void {
    clearTimeout(this.timer);
  }

  count(bytes: number): void {
    this.bytes += bytes;
  }
}
