import { type EntityManager } from 'typeorm';
import { type Config } from '../config.js';
import { type Secrets } from '../executions/secrets.js';
import { type Lease } from '../../packages/fair/lease.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { sealCause } from '../workspace/sealed-cause.js';
import { type Workspaces } from '../workspace/workspaces.js';
import { bodyOf } from './delivery-body.js';
import {
  type DisabledWebhook,
  dueDeliveries,
  type DueDelivery,
  enterDeliveries,
  lineOfReceiver,
  type NewDelivery,
  recordTries,
  type TriedDelivery,
} from './deliveries.repository.js';
import { type ClaimedReceiver, roomOf } from './receivers.repository.js';
import { isMeant } from './selection.js';
import { MAX_CONCURRENT, sendOnce, type TryOutcome } from './send-delivery.js';
import { type SentEvent, type WebhookFeed } from './webhook-feed.js';
import { type SentWebhook, webhooksOf } from './webhooks.repository.js';
import { shownEventId } from '../database/origin.js';
import { inSpan } from '../lib/trace.js';
import { keptText } from '../lib/message.js';
import { nextTryMs } from '../lib/next-try.js';

/** The parts of the service that sending uses. */
export interface SenderParts {
  readonly db: EntityManager;
  readonly feed: WebhookFeed;
  readonly workspaces: Workspaces;
  readonly outbound: Outbound;
  readonly secrets: Secrets;
  readonly config: Config;
  readonly onDisabled: (disabled: DisabledWebhook) => void;
}

/** Ends a run: the loss of the lease, and the stop of the service, which later cuts hanging requests off. */
export interface RunSignals {
  readonly lease: Lease;
  readonly stopping: AbortSignal;
  readonly cutting: AbortSignal;
}

/** A delivery with its webhook and its event. */
interface Ready {
  readonly delivery: DueDelivery;
  readonly webhook: SentWebhook;
  /** Undefined if the event is no longer kept. */
  readonly event: SentEvent | undefined;
}

/** Deliveries that are sent in turn; if one fails, the rest waits. */
type Line = Ready[];

/** After an answer slower than this (milliseconds), the run ends and leaves its place to other receivers. */
const PATIENCE_MS = 5000;
/** The number of deliveries of a webhook that are read at once, and the number of lines below which more are read. */
const MAX_READY = 100;
const MIN_LINES = 30;

/** Sends the due deliveries of one claimed receiver, until none is due or the lease is lost. */
export class ReceiverRun {
  private readonly log: TryLog;
  private readonly lines: Line[] = [];
  private readonly inHand = new Map<string, DueDelivery>();
  private working = 0;
  private mayHaveMore = true;
  private filling: Promise<boolean> | undefined;
  private end: () => void = () => undefined;
  private failure: Error | undefined;
  private isSlow = false;
  private hasEnded = false;

  constructor(
    private readonly parts: SenderParts,
    private readonly receiver: ClaimedReceiver,
    private readonly signals: RunSignals,
  ) {
    this.log = new TryLog(parts.db, receiver, parts.onDisabled);
  }

  /** Resolves when there is nothing more to do here for now. */
  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.end = resolve;
      this.wake();
    });
    await this.log.flushed();
    if (this.failure) throw this.failure;
  }

  /** Starts nothing more; work under way ends. */
  private readonly fail = (error: unknown): void => {
    this.failure ??= error instanceof Error ? error : new Error(String(error));
  };

  /** Checks again whether there is something to send. */
  wake(): void {
    // Rings come until the lease is given back: what is sent then, another process may send as well.
    if (this.hasEnded) return;
    for (; this.working < MAX_CONCURRENT; this.working += 1) {
      this.work()
        .catch(this.fail)
        .finally(() => {
          this.working -= 1;
          if (this.working > 0) return;
          this.hasEnded = true;
          this.end();
        });
    }
  }

  private get isOver(): boolean {
    const { lease, stopping } = this.signals;
    return this.failure !== undefined || this.isSlow || lease.isLost() || stopping.aborted;
  }

  private async work(): Promise<void> {
    for (let line = await this.next(); line; line = await this.next()) {
      const written: Promise<void>[] = [];
      for (const ready of line) {
        const { delivery, webhook, event } = ready;
        const attributes = { 'wts.webhook': webhook.id, 'wts.event': shownEventId(delivery.eventId) };
        const span = { kind: 'client' as const, isRoot: true, link: event?.trace, attributes };
        const outcome = await inSpan('delivery', span, () => this.send(ready));
        if (outcome) {
          this.isSlow ||= outcome.tookMs > PATIENCE_MS;
          const noted = this.note(delivery, outcome);
          // An error ends the run at once, not only at the end of the line.
          noted.catch(this.fail);
          written.push(noted);
        }
        if (outcome?.cause !== null) break;
      }
      // The next line is sent meanwhile; unrecorded deliveries stay in hand, so none is read twice.
      Promise.all(written)
        .then(() => {
          for (const { delivery } of line) this.inHand.delete(delivery.place);
        })
        .catch(this.fail);
    }
  }

  private async next(): Promise<Line | undefined> {
    for (let isFilled = true; !this.isOver; isFilled = await this.filled()) {
      const line = this.lines.shift();
      // Reads ahead, so that sending does not have to wait.
      if (line && this.lines.length < MIN_LINES && this.mayHaveMore) this.filled().catch(this.fail);
      if (line ?? !isFilled) return line;
    }
    return undefined;
  }

  private filled(): Promise<boolean> {
    return (this.filling ??= this.fill().finally(() => (this.filling = undefined)));
  }

  /** Puts due deliveries into lines; if there are none, reads further events. False if nothing was found. */
  private async fill(): Promise<boolean> {
    for (;;) {
      const due = await this.due();
      // Read afterwards, so that an event that came after the rotation of a secret is signed with the new one, too.
      const webhooks = await webhooksOf(this.parts.db, this.receiver);
      this.mayHaveMore = due.length > 0;
      if (due.length > 0) {
        await this.putInLines(due, webhooks);
        return true;
      }
      const room = await roomOf(this.parts.db, this.receiver);
      const moved = await Promise.all(
        webhooks.map((webhook) => this.lookAtFeed(webhook, room.get(webhook.id) ?? 0)),
      );
      if (this.isOver || !moved.includes(true)) return false;
    }
  }

  private async due(): Promise<DueDelivery[]> {
    const held = [...this.inHand.values()];
    const lines = held.flatMap((delivery) => lineOfReceiver(delivery) ?? []);
    const inHand = { places: [...this.inHand.keys()], lines };
    return dueDeliveries(this.parts.db, this.receiver, inHand, MAX_READY);
  }

  private async putInLines(due: readonly DueDelivery[], webhooks: readonly SentWebhook[]): Promise<void> {
    const places = new Set(due.flatMap(({ eventPlace }) => eventPlace ?? []));
    const events = await this.parts.feed.show(this.receiver.workspaceId, [...places]);
    const lines = new Map<string, Line>();
    for (const delivery of due) {
      // The events behind those that were read are left to the next look.
      if (delivery.eventPlace !== null && !events.has(delivery.eventPlace)) break;
      const webhook = webhooks.find(({ id }) => id === delivery.webhookId);
      // The webhook was enabled meanwhile: the next look finds it.
      if (!webhook) continue;
      const event = events.get(delivery.eventPlace ?? '');
      const name = lineOfReceiver(delivery) ?? delivery.place;
      lines.set(name, [...(lines.get(name) ?? []), { delivery, webhook, event }]);
      this.inHand.set(delivery.place, delivery);
    }
    this.lines.push(...lines.values());
  }

  /** Enters deliveries of a webhook for the next events, at most `room`; false if there are none. */
  private async lookAtFeed(webhook: SentWebhook, room: number): Promise<boolean> {
    if (room === 0) return false;
    const { webhookDelaysMs } = this.parts.config;
    const { to, meant } = await this.readOn(webhook, room);
    const { id: webhookId, feedPosition: from } = webhook;
    if (to === from) return false;
    const delayMs = nextTryMs(webhookDelaysMs, 0, 0) ?? 0;
    const progress = { webhookId, from, to };
    return enterDeliveries(this.parts.db, this.receiver, progress, meant, delayMs);
  }

  /** The deliveries of a webhook for the next events, at most `room`, and the position after these events. */
  private async readOn(
    webhook: SentWebhook,
    room: number,
  ): Promise<{ readonly to: number; readonly meant: readonly NewDelivery[] }> {
    const { db, feed } = this.parts;
    const { rows, names } = await feed.read(webhook.workspaceId, webhook.feedPosition, webhook.events);
    const meant: NewDelivery[] = [];
    for (const { position, event } of rows) {
      if (!event || !(await isMeant(db, webhook, event, names))) continue;
      const { id: eventId, place: eventPlace, type, taskId } = event;
      meant.push({ eventId, eventPlace, type, taskId });
      if (meant.length === room) return { to: position, meant };
    }
    return { to: rows.at(-1)?.position ?? webhook.feedPosition, meant };
  }

  /** Sends a delivery; undefined if the lease is lost or the service stops. */
  private async send({ delivery, webhook, event }: Ready): Promise<TryOutcome | undefined> {
    if (this.isOver) return undefined;
    const { db, outbound, secrets, workspaces } = this.parts;
    const workspace = await workspaces.get(this.receiver.workspaceId);
    const body = await bodyOf(db, workspace, { delivery, webhook, envelope: event?.envelope });
    if (body === undefined) return noLongerKept;
    // If the process was suspended meanwhile, the lease may have expired before its timer fires.
    if (this.signals.lease.isLost()) return undefined;
    const cause = event?.cause && sealCause(workspace.rows.workspace, event.cause);
    return sendOnce(outbound, secrets, webhook, { eventId: delivery.eventId, body, cause }, [
      this.signals.lease.signal,
      this.signals.cutting,
    ]);
  }

  private async note(
    delivery: DueDelivery,
    { status, cause, tookMs, retryAfterMs }: TryOutcome,
  ): Promise<void> {
    const { place, tries, isSingle } = delivery;
    const isGone = status === 410 && !isSingle;
    const waitMs =
      isSingle || cause === noLongerKept.cause
        ? undefined
        : nextTryMs(this.parts.config.webhookDelaysMs, tries + 1, retryAfterMs);
    const again = isGone || waitMs !== undefined ? 'pending' : 'failed';
    await this.log.add({
      place,
      status,
      cause: cause && keptText(cause),
      tookMs,
      isGone,
      state: cause === null ? 'delivered' : again,
      waitMs: isGone ? 0 : (waitMs ?? 0),
      isFailure: cause !== null,
    });
  }
}

const noLongerKept: TryOutcome = {
  status: null,
  cause: 'the event is no longer kept',
  tookMs: 0,
  retryAfterMs: 0,
};

/** Records the outcomes of tries; those that arrive together share one statement. */
class TryLog {
  private unwritten: TriedDelivery[] = [];
  private writing: Promise<void> | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly receiver: ClaimedReceiver,
    private readonly onDisabled: (disabled: DisabledWebhook) => void,
  ) {}

  /** Resolves when the outcome is recorded. */
  async add(tried: TriedDelivery): Promise<void> {
    this.unwritten.push(tried);
    await this.flushed();
  }

  /** Resolves when all outcomes added so far are recorded. */
  async flushed(): Promise<void> {
    while (this.writing ?? this.unwritten.length > 0) {
      this.writing ??= this.write().finally(() => (this.writing = undefined));
      await this.writing;
    }
  }

  private async write(): Promise<void> {
    const tries = this.unwritten;
    this.unwritten = [];
    for (const disabled of await recordTries(this.db, this.receiver, tries)) this.onDisabled(disabled);
  }
}
