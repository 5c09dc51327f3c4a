import {
  type ClaimedWebhook,
  deliveryJob,
  dueWebhooks,
  nextWebhook,
  type WebhookKey,
  webhookLeases,
} from './due-webhooks.js';
import { type JobKind, leasedBy, type JobPlace } from '../common/ops/job-kind.js';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LostLease } from '../../packages/fair/lease.js';
import { Outbound } from '../../packages/safe-http/client.js';
import { CONFIG, type Config } from '../config.js';
import { shownEventId } from '../common/origin.js';
import { Secrets } from '../access/secrets.js';
import { doSideBySide } from '../common/each.js';
import { type Logger, LOGGER } from '../common/logger.js';
import { keptText } from '../common/message.js';
import { nextTryMs } from '../common/pause.js';
import { inSpan } from '../common/trace.js';
import { type Ending, untilEnd } from '../messages/ending.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { MAX_CONCURRENT, sendOnce, testOf, type TryOutcome } from './send-delivery.js';
import { dueDeliveries, type DueDelivery, recordTry, type TriedDelivery } from './deliveries.repository.js';
import { enterNextDeliveries } from './enter-deliveries.js';
import { EventFeed } from '../events/event-feed.js';
import { type SentWebhook, webhookToSend } from './webhooks.repository.js';

/** Delivers the events of a webhook. Only one process at a time sends to a webhook, to keep the order. */
export const delivery: JobKind<WebhookKey, ClaimedWebhook> = {
  name: deliveryJob,
  next: nextWebhook,
  places: 256,
  // A job may wait long for a receiver, so one workspace gets at most half of the places.
  shares: { ofWorkspace: 128 },
  isOutbound: true,
  ...leasedBy(webhookLeases),
  due: ({ db }) => dueWebhooks(db),
  run: (parts, claimed, place) => parts.provider(DeliveryRunner).run(claimed, place),
};

interface Run extends Pick<JobPlace, 'lease' | 'stopping'> {
  readonly ending: Ending;
  readonly claimed: ClaimedWebhook;
  /** Whether a try was slow. If so, the run ends, so that another webhook gets the place. */
  isSlow: boolean;
}

interface Ready {
  readonly delivery: DueDelivery;
  readonly webhook: SentWebhook;
  /** The JSON of the event; undefined for a test, or if the event has been deleted. */
  readonly event: string | undefined;
}

/** Deliveries to send one after the other. If one fails, a later line sends the rest. */
type Line = readonly Ready[];

@Injectable()
export class DeliveryRunner {
  private readonly db: EntityManager;

  constructor(
    dataSource: DataSource,
    private readonly feed: EventFeed,
    private readonly workspaces: Workspaces,
    private readonly outbound: Outbound,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.db = dataSource.manager;
  }

  /** Sends deliveries until none is due, a try was slow, the lease is lost, or the service stops. */
  async run(claimed: ClaimedWebhook, { lease, stopping }: JobPlace): Promise<void> {
    await untilEnd({ lease, stopping }, async (ending) => {
      // As soon as a request is sent, the receiver may have the delivery, even if no answer has arrived.
      ending.isInDoubt = true;
      const run: Run = { claimed, lease, stopping, ending, isSlow: false };
      for (let lines = await this.nextLines(run); lines.length > 0; lines = await this.nextLines(run))
        await doSideBySide(lines, MAX_CONCURRENT, (line) => this.sendLine(run, line));
    });
  }

  /** Returns the due deliveries in lines. If there are none, first inserts deliveries of new events. */
  private async nextLines(run: Run): Promise<Line[]> {
    const { claimed } = run;
    while (!isOver(run)) {
      const due = await dueDeliveries(this.db, claimed, MAX_READY);
      // Reads the webhook after its deliveries, so that its secrets are at least as new as the deliveries.
      const webhook = await webhookToSend(this.db, claimed);
      if (!webhook) break;
      if (due.length > 0) return this.linesOf(webhook, due);
      const delayMs = nextTryMs(this.config.webhookDelaysMs, 0, 0) ?? 0;
      if (!(await enterNextDeliveries(this.db, this.feed, claimed, webhook, delayMs))) break;
    }
    return [];
  }

  /** Groups each task's deliveries into a line. Replays and deliveries without a task get a line each. */
  private async linesOf(webhook: SentWebhook, due: readonly DueDelivery[]): Promise<Line[]> {
    const places = new Set(due.flatMap(({ eventPlace }) => eventPlace ?? []));
    const events = await this.feed.envelopes(webhook.workspaceId, [...places]);
    const lines = new Map<string, Ready[]>();
    for (const delivery of due) {
      const { place, eventPlace, taskId, isSingle } = delivery;
      // `envelopes` may leave out the last events. The next call of `nextLines` reads their deliveries again.
      if (eventPlace !== null && !events.has(eventPlace)) break;
      const line = taskId === null || isSingle ? place : `task ${taskId}`;
      const ready = { delivery, webhook, event: events.get(eventPlace ?? '') };
      lines.set(line, [...(lines.get(line) ?? []), ready]);
    }
    return [...lines.values()];
  }

  private async sendLine(run: Run, line: Line): Promise<void> {
    for (const ready of line) {
      if (isOver(run)) return;
      const { delivery, webhook } = ready;
      const attributes = { 'wts.webhook': webhook.id, 'wts.event': shownEventId(delivery.eventId) };
      const span = { kind: 'client' as const, attributes };
      const outcome = await inSpan('delivery', span, () => this.send(run, ready));
      run.isSlow ||= outcome.tookMs > PATIENCE_MS;
      await this.record(run, delivery, outcome);
      if (outcome.cause !== null) return;
    }
  }

  private async send({ lease, ending }: Run, { delivery, webhook, event }: Ready): Promise<TryOutcome> {
    const workspace = await this.workspaces.get(webhook.workspaceId);
    const body = delivery.eventPlace === null ? testOf(workspace, webhook.id, delivery) : event;
    if (body === undefined) return noLongerKept;
    // After a suspension of the process, the lease may have ended before its timer fires.
    if (lease.isLost()) throw new LostLease();
    return sendOnce(this.outbound, this.secrets, webhook, { eventId: delivery.eventId, body }, [
      ending.signal,
    ]);
  }

  private async record({ claimed }: Run, delivery: DueDelivery, outcome: TryOutcome): Promise<void> {
    const tried = triedOf(delivery, outcome, this.config.webhookDelaysMs);
    const recorded = await recordTry(this.db, claimed, tried);
    if (!recorded) throw new LostLease();
    const { workspaceId: workspace, id: webhook } = claimed;
    if (recorded.isDisabled) this.logger.warn({ workspace, webhook }, 'webhook disabled');
  }
}

function isOver({ lease, stopping, isSlow }: Run): boolean {
  return isSlow || lease.isLost() || stopping.aborted;
}

function triedOf(
  { place, tries, isSingle }: DueDelivery,
  { status, cause, tookMs, retryAfterMs }: TryOutcome,
  delaysMs: readonly number[],
): TriedDelivery {
  const isLast = isSingle || cause === noLongerKept.cause;
  const waitMs = isLast ? undefined : nextTryMs(delaysMs, tries + 1, retryAfterMs);
  return {
    place,
    status,
    cause: cause && keptText(cause),
    tookMs,
    state: cause === null ? 'delivered' : waitMs === undefined ? 'failed' : 'pending',
    waitMs: waitMs ?? 0,
    isFailure: cause !== null,
  };
}

const noLongerKept: TryOutcome = {
  status: null,
  cause: 'the event has been deleted',
  tookMs: 0,
  retryAfterMs: 0,
};

/** The run ends after a try that took longer than this, in milliseconds. */
const PATIENCE_MS = 5000;
/** The maximum number of deliveries that a run reads at once. */
const MAX_READY = 100;
