import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

/** Processes of one role: who ends is replaced at once. */
export class Fleet {
  private readonly members: (OtherProcess | undefined)[] = [];
  private readonly lives: Promise<void>[] = [];
  private isStopping = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Starts so many processes. */
  async start(count: number): Promise<void> {
    for (let place = 0; place < count; place += 1) this.lives.push(this.live(place));
    await this.until((members) => members.length === count);
  }

  /** Those that are up now. */
  up(): OtherProcess[] {
    return this.members.filter((member) => member !== undefined);
  }

  /** Any one of those that are up, as soon as there is another that goes on without it. */
  async anyOne(): Promise<OtherProcess> {
    await this.until((members) => members.length > 1);
    const members = this.up();
    const one = members[Math.floor(Math.random() * members.length)];
    return one ?? this.anyOne();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    // Who is about to come up must be there to be told.
    await this.until((members) => members.length === this.lives.length);
    await Promise.all(this.up().map((member) => member.kill()));
    await Promise.all(this.lives);
  }

  private async live(place: number): Promise<void> {
    while (!this.isStopping) {
      // Who works before it listens may end before it is known: a death like others.
      const member = await startOtherProcess(this.databaseUrl, this.environment).catch(() => undefined);
      this.members[place] = member;
      await member?.ended;
      this.members[place] = undefined;
    }
  }

  private async until(holds: (members: readonly OtherProcess[]) => boolean): Promise<void> {
    await until('processes that are up', () => holds(this.up()));
  }
}
