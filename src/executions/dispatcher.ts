import { busy } from '../lib/errors.js';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairSemaphore, type Shares } from '../../packages/fair/semaphore.js';
import { Health } from '../ops/health.js';
import { ExecutionQueue } from './execution-queue.js';
import { type Ended } from './claims.repository.js';
import { type ExecutionKey, textOfKey } from './executions.repository.js';
import { ExecutionRunner, type ReleaseWorker } from './runner.js';
import { CompletionWaiters } from './completion-waiters.js';
import { WaitingCalls } from './execution-room.js';

/** Brings executions and workers together: by a queue where there is one, else within this process. */
@Injectable()
export class Dispatcher implements OnApplicationShutdown {
  /** How many executions this process works at; those that wait for other systems do not count. */
  private readonly workers = new FairSemaphore(MAX_CONCURRENT, busy(refusal), ofAnybody(MAX_CONCURRENT));
  /** Suspects run one at a time, so that one that ends the process does not take others with it again and again. */
  private readonly suspects = new FairSemaphore(1, busy(refusal), ofAnybody(1));
  private readonly calls = new WaitingCalls();
  private readonly underWay = new Map<Promise<void>, string>();

  constructor(
    private readonly runner: ExecutionRunner,
    private readonly waiters: CompletionWaiters,
    private readonly queue: ExecutionQueue,
    private readonly health: Health,
  ) {}

  /** Dispatches a new execution; a second time a little later where another of its task was Pending and may just have ended. */
  dispatchNew(key: ExecutionKey, isBehind: boolean): void {
    this.dispatch(key);
    if (isBehind)
      setTimeout(() => {
        this.dispatch(key);
      }, SECOND_DISPATCH_MS).unref();
  }

  /** Dispatches an execution. Never waits and never fails: the sweeper finds what nobody was told of. */
  dispatch(key: ExecutionKey): void {
    this.queue.dispatch(key, () => void this.run(key));
  }

  /**
   * Runs the execution if it can be claimed, and dispatches the next one of its task; never throws. Resolves when it is
   * done or begins to wait for another system; then it goes on in the background.
   */
  async run(key: ExecutionKey, isSuspect = false): Promise<void> {
    await new Promise<void>((end) => {
      const running = isSuspect
        ? this.suspects.use(key, () => this.runner.run(key, keepWorker))
        : this.shared(key, end);
      const work = this.follow(key, running).finally(() => {
        this.underWay.delete(work);
        end();
      });
      this.underWay.set(work, textOfKey(key));
    });
  }

  /** Those of these executions that this process neither works at nor has in line. */
  unattended<Key extends ExecutionKey>(keys: readonly Key[]): Key[] {
    const attended = new Set(this.underWay.values());
    return keys.filter((key) => !attended.has(textOfKey(key)));
  }

  /** Whether nothing more can be begun here at the moment. */
  get isBusy(): boolean {
    return this.workers.isUsedUp;
  }

  /** Ends when what is under way here has been done or given back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay.keys());
  }

  /** Runs it in one of the places, which is released while it waits for another system. */
  private shared(key: ExecutionKey, leave: () => void): Promise<Ended | undefined> {
    return this.workers.use(key, () =>
      this.runner.run(key, (call, work) =>
        this.calls.make(call, () => {
          leave();
          return this.workers.releaseWhile(key, work);
        }),
      ),
    );
  }

  private async follow(key: ExecutionKey, running: Promise<Ended | undefined>): Promise<void> {
    try {
      const ended = await running;
      if (ended) this.waiters.wake(key);
      if (ended?.next) this.dispatch({ ...key, id: ended.next });
    } catch (error) {
      const left = { execution: key.id };
      await this.health.postgres.logFailure(error, 'an execution is left to the sweeper', left);
    }
  }
}

const MAX_CONCURRENT = 16;
const WAIT_TIMEOUT_MS = 3_600_000;
const refusal = 'Too many executions are under way.';
/** Workspaces take turns, but one alone may take all places. */
const ofAnybody = (all: number): Shares => ({ ofWorkspace: all, waitTimeoutMs: WAIT_TIMEOUT_MS });
const SECOND_DISPATCH_MS = 250;
/** A suspect keeps its place, so that no other is begun while it waits. */
const keepWorker: ReleaseWorker = (_, work) => work();
