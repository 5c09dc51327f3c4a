import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { Secrets } from '../executions/secrets.js';
import { BackgroundWork } from '../jobs/background-work.js';
import { holdLease } from '../jobs/lease.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { Health } from '../ops/health.js';
import { Outbound } from '../../packages/safe-http/client.js';
import { Workspaces } from '../workspace/workspaces.js';
import { ReceiverRun } from './receiver-run.js';
import {
  claimReceiver,
  dueReceivers,
  type ReceiverKey,
  releaseReceiver,
  renewReceiver,
} from './receivers.repository.js';
import { WebhookFeed } from './webhook-feed.js';
import { WebhookQueue } from './webhook-queue.js';

/** Sends events to receivers, each by one process at a time; finds due deliveries itself. */
@Injectable()
export class WebhookSender extends BackgroundWork implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly cutting = new AbortController();
  private readonly underWay = new Map<string, UnderWay>();
  /** How many receivers of each workspace are under way. */
  private readonly places = new Map<number, number>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: WebhookFeed,
    private readonly workspaces: Workspaces,
    private readonly outbound: Outbound,
    private readonly secrets: Secrets,
    private readonly queue: WebhookQueue,
    health: Health,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failure = 'webhooks could not be looked for';
    super(health, { pauseMs: PAUSE_MS, failure, isDoneHere: config.role !== 'api' });
    // Everything that is sent listens to it: no warning about a leak.
    setMaxListeners(0, this.cutting.signal);
  }

  /** Nothing more is begun from now on. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
    setTimeout(() => {
      this.cutting.abort();
    }, CUT_MS).unref();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await Promise.all([...this.underWay.values()].map(({ work }) => work));
  }

  /** Tells a worker that there may be something to send. Never waits and never fails: what nobody was told of is found. */
  dispatch(receiver: ReceiverKey): void {
    this.queue.dispatch(receiver, () => {
      this.begin(receiver);
    });
  }

  /** Begins to send to a receiver, or looks again where that is under way here. */
  begin(receiver: ReceiverKey): void {
    const name = `${receiver.workspaceId}/${receiver.origin}`;
    const known = this.underWay.get(name);
    known?.run?.wake();
    if (known || this.stopping.signal.aborted || !this.hasPlace(receiver)) return;
    const current: UnderWay = { work: Promise.resolve() };
    this.underWay.set(name, current);
    this.count(receiver, 1);
    current.work = this.send(receiver, current)
      .catch((error: unknown) => this.health.postgres.logFailure(error, 'webhooks are left to the next look'))
      .finally(() => {
        this.underWay.delete(name);
        this.count(receiver, -1);
      });
  }

  /** A workspace takes at most half of the places that others leave, so one is always left for the next workspace. */
  private hasPlace({ workspaceId }: ReceiverKey): boolean {
    return (this.places.get(workspaceId) ?? 0) < MAX_RECEIVERS - this.underWay.size;
  }

  private count({ workspaceId }: ReceiverKey, places: 1 | -1): void {
    const held = (this.places.get(workspaceId) ?? 0) + places;
    if (held > 0) this.places.set(workspaceId, held);
    else this.places.delete(workspaceId);
  }

  private async send(receiver: ReceiverKey, current: UnderWay): Promise<void> {
    const { manager } = this.dataSource;
    const { leaseMs } = this.config;
    const claimed = await claimReceiver(manager, receiver, leaseMs);
    if (!claimed) return;
    const lease = holdLease(() => renewReceiver(manager, claimed, leaseMs), { leaseMs, isStrict: true });
    const { feed, workspaces, outbound, secrets, config } = this;
    current.run = new ReceiverRun(
      { db: manager, feed, workspaces, outbound, secrets, config, onDisabled: this.tell(receiver) },
      claimed,
      { lease, stopping: this.stopping.signal, cutting: this.cutting.signal },
    );
    try {
      await current.run.run();
    } catch (error) {
      if (!lease.signal.aborted && !this.cutting.signal.aborted) throw error;
    } finally {
      lease.end();
      await releaseReceiver(manager, claimed);
    }
  }

  private tell({ workspaceId }: ReceiverKey): (disabled: { id: string; reason: string }) => void {
    return ({ id, reason }) => {
      this.logger.warn({ workspace: workspaceId, webhook: id, reason }, 'webhook disabled');
    };
  }

  /** Looks for receivers that there is something to send to. */
  protected async work(): Promise<void> {
    for (const { run } of this.underWay.values()) run?.wake();
    const due = await dueReceivers(this.dataSource.manager);
    // From anywhere in the list: receivers that hang must not be the first to get a place each time.
    const first = Math.floor(Math.random() * due.length);
    for (const receiver of [...due.slice(first), ...due.slice(0, first)]) this.begin(receiver);
  }
}

interface UnderWay {
  work: Promise<void>;
  run?: ReceiverRun;
}

const PAUSE_MS = 200;
/** How long what was sent before the end of the service may wait for its answer. */
const CUT_MS = 2000;
/** Receivers that this process sends to at once. */
const MAX_RECEIVERS = 256;
