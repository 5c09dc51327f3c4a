import { setTimeout as sleep } from 'node:timers/promises';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

/** Processes of one role: one that ends is replaced at once. */
export class Fleet {
  private readonly members: (OtherProcess | undefined)[] = [];
  private readonly lives: Promise<void>[] = [];
  private isStopping = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  async start(count: number): Promise<void> {
    for (let place = 0; place < count; place += 1) this.lives.push(this.live(place));
    await this.count((members) => members === count);
  }

  /** Those that are up now. */
  up(): OtherProcess[] {
    return this.members.filter((member) => member !== undefined);
  }

  /** Ends one of them by kill -9, as soon as there is another that goes on without it. */
  async killOne(): Promise<void> {
    await this.count((members) => members > 1);
    const members = this.up();
    await members[Math.floor(Math.random() * members.length)]?.kill();
  }

  /** Stops the first of them, one after the other, for longer than a lease; they wake when others have what they had. */
  async sleepBeyondLease(count: number, leaseMs: number): Promise<void> {
    await this.count((members) => members > 1);
    for (const { pid } of this.up().slice(0, count)) {
      process.kill(pid, 'SIGSTOP');
      await sleep(1.5 * leaseMs);
      process.kill(pid, 'SIGCONT');
    }
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    // One that is about to come up must be there to be told.
    await this.count((members) => members === this.lives.length);
    await Promise.all(this.up().map((member) => member.kill()));
    await Promise.all(this.lives);
  }

  private async live(place: number): Promise<void> {
    while (!this.isStopping) {
      // One that works before it listens may end before it is known: a death like others.
      const member = await startOtherProcess(this.databaseUrl, this.environment).catch(() => undefined);
      this.members[place] = member;
      await member?.ended;
      this.members[place] = undefined;
    }
  }

  private async count(holds: (members: number) => boolean): Promise<void> {
    await until('processes that are up', () => holds(this.up().length));
  }
}
