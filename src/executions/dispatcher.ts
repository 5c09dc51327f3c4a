import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairSemaphore, type Shares } from '../lib/semaphore.js';
import { CONFIG, type Config } from '../config.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Bell } from './execution-queue.js';
import { type Ended, type ExecutionKey } from './executions.repository.js';
import { type Away, Resolver } from './execution-runner.js';
import { Waiters } from './completion-waiters.js';
import { WaitingCalls } from './waiting-calls.js';

/** Brings executions and workers together: by a bell where there is one, else within this process. */
@Injectable()
export class Dispatcher implements OnApplicationShutdown {
  /** Executions that this process works at, at once; those that wait for other systems are more. */
  private readonly workers = new FairSemaphore(mostAtOnce, refusal, ofAnybody(mostAtOnce));
  /** One at a time, so that the one that ends the process takes none of the others with it again and again. */
  private readonly suspects = new FairSemaphore(1, refusal, ofAnybody(1));
  private readonly calls = new WaitingCalls();
  private readonly underWay = new Map<Promise<void>, string>();

  constructor(
    private readonly resolver: Resolver,
    private readonly waiters: Waiters,
    private readonly bell: Bell,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Says that a new execution waits: behind one that ends meanwhile it is heard of only when that is over. */
  announce(key: ExecutionKey, isBehind: boolean): void {
    this.ring(key);
    if (isBehind)
      setTimeout(() => {
        this.ring(key);
      }, momentMs).unref();
  }

  /** Says that an execution waits; never waits itself, and never fails: the sweeper finds what nobody heard of. */
  ring(key: ExecutionKey): void {
    const here = (): void => {
      if (this.config.role !== 'api') void this.resolve(key);
    };
    if (!this.bell.ring(key, here)) here();
  }

  /**
   * Resolves the execution if it can be claimed, and has those go on that waited for it; never throws. Ends when that is
   * done, or goes on by itself once an answer comes from another system.
   */
  async resolve(key: ExecutionKey, isSuspect = false): Promise<void> {
    await new Promise<void>((end) => {
      const resolved = isSuspect
        ? this.suspects.use(key, () => this.resolver.resolve(key, staying))
        : this.shared(key, end);
      const work = this.follow(key, resolved).finally(() => {
        this.underWay.delete(work);
        end();
      });
      this.underWay.set(work, nameOf(key));
    });
  }

  /** Those of these executions that nobody in this process is at, or is about to be. */
  unattended<Key extends ExecutionKey>(keys: readonly Key[]): Key[] {
    const attended = new Set(this.underWay.values());
    return keys.filter((key) => !attended.has(nameOf(key)));
  }

  /** Whether nothing more can be begun here at the moment. */
  get isBusy(): boolean {
    return this.workers.isUsedUp;
  }

  /** Ends when what is under way here has been done or given back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay.keys());
  }

  /** Has it resolved beside others, and leaves its place to them for as long as it waits for another system. */
  private shared(key: ExecutionKey, leave: () => void): Promise<Ended | undefined> {
    return this.workers.use(key, () =>
      this.resolver.resolve(key, (call, work) =>
        this.calls.make(call, () => {
          leave();
          return this.workers.lend(key, work);
        }),
      ),
    );
  }

  private async follow(key: ExecutionKey, resolved: Promise<Ended | undefined>): Promise<void> {
    try {
      const ended = await resolved;
      if (ended) this.waiters.wake(key);
      if (ended?.next) this.ring({ ...key, id: ended.next });
    } catch (error) {
      this.logger.warn({ err: error, execution: key.id }, 'an execution is left to the sweeper');
    }
  }
}

const mostAtOnce = 16;
const patienceMs = 3_600_000;
const refusal = 'Too many executions are under way.';
/** The workspaces take turns; one alone may have all. */
const ofAnybody = (all: number): Shares => ({ ofWorkspace: all, patienceMs });
const momentMs = 250;
/** A suspect keeps its place, so that no other is begun while it waits. */
const staying: Away = (_, work) => work();

function nameOf({ workspaceId, id }: ExecutionKey): string {
  return `${workspaceId}/${id}`;
}
