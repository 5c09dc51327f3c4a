import {
  deliveryStates,
  type DeliveryState,
  eventTypes,
  type EventType,
  type WebhookContent,
  webhookContents,
  type WebhookState,
  webhookStates,
} from '../entities/column-values.js';
import { type WebhookEntity } from '../entities/webhook.entity.js';
import { PageQuery } from '../http/paged-list.js';
import { OneOf } from '../http/query.decorator.js';
import { Described } from '../lib/described.js';
import { instant, listOf, maybeInstant, maybeText, oneOf, ref, textSchema } from '../openapi/vocabulary.js';
import { shownEventId } from '../database/origin.js';
import { type ListedDelivery } from './deliveries.repository.js';
import { english, type Message, messageOfText, type Telling } from '../lib/message.js';

const optional = { optional: true };
const textsOrNull = (description: string) => ({
  description,
  type: ['array', 'null'],
  items: { type: 'string' },
}); // prettier-ignore
const headersOf = (description: string) => ({
  description,
  type: 'object',
  additionalProperties: { type: 'string' },
});

/** What the payload of a webhook may hold. */
export class WebhookPayload {
  @Described(textSchema('1 to 64 letters, digits, _ and -; a random one where it is left out.'), optional)
  readonly id: unknown;

  @Described(textSchema('http or https: where events are sent, by POST.'))
  readonly url: unknown;

  @Described({ ...listOf(oneOf(eventTypes, 'A type of event.')), minItems: 1 })
  readonly events: unknown;

  @Described(textsOrNull('Ids of workflows; of all where it is left out.'), optional)
  readonly workflows: unknown;

  @Described(
    textsOrNull('Keys of tasks: a `task.updated` is sent only if one of these has changed.'),
    optional,
  )
  readonly fields: unknown;

  @Described(maybeText('A CEL expression, with `task` and `before`.'), optional)
  readonly when: unknown;

  @Described(oneOf(webhookContents, '`changes` unless said.'), optional)
  readonly include: unknown;

  @Described(headersOf('Further headers; values may hold `{{secret.NAME}}`.'), optional)
  readonly headers: unknown;
}

/** A webhook as the API shows it. */
export class Webhook {
  @Described(textSchema('Identifies the webhook.'))
  readonly id!: string;

  @Described(textSchema('Where events are sent.'))
  readonly url!: string;

  @Described(listOf(oneOf(eventTypes, 'A type of event.')))
  readonly events!: readonly EventType[];

  @Described(textsOrNull('Ids of workflows; null means all.'))
  readonly workflows!: readonly string[] | null;

  @Described(textsOrNull('Keys of which one must have changed; null means any.'))
  readonly fields!: readonly string[] | null;

  @Described(maybeText('The condition; null where there is none.'))
  readonly when!: string | null;

  @Described(oneOf(webhookContents, 'What is sent.'))
  readonly include!: WebhookContent;

  @Described(headersOf('Further headers, with the names of secrets.'))
  readonly headers!: Readonly<Record<string, string>>;

  @Described(oneOf(webhookStates, 'Only what is active is sent to.'))
  readonly state!: WebhookState;

  @Described(oneOf(['api', 'definition'], 'What is of the definition is changed there.'))
  readonly managed_by!: 'api' | 'definition';

  @Described(maybeInstant('Since when nothing has succeeded; null where the last try did.'))
  readonly failing_since!: string | null;
}

export function serializeWebhook(webhook: WebhookEntity): Webhook {
  const { id, url, events, workflows, fields, condition, content, headers, state, managedBy } = webhook;
  return {
    id,
    url,
    events,
    workflows,
    fields,
    when: condition,
    include: content,
    headers,
    state,
    managed_by: managedBy,
    failing_since: webhook.failingSince?.toISOString() ?? null,
  };
}

/** The secret of a webhook. */
export class WebhookSecret {
  @Described(textSchema('`whsec_` and base64, as libraries of Standard Webhooks take it.'))
  readonly secret!: string;
}

/** A delivery as the API shows it: never what the receiver said. */
export class Delivery {
  @Described(textSchema('Identifies the delivery.'))
  readonly id!: string;

  @Described(textSchema('The id of the event.'))
  readonly event!: string;

  @Described(textSchema('The type of the event.'))
  readonly type!: string;

  @Described(ref('DeliveryState'))
  readonly state!: DeliveryState;

  @Described({ type: 'integer', description: 'How often it was tried.' })
  readonly tries!: number;

  @Described({ type: ['integer', 'null'], description: 'The status of the last answer, if there was one.' })
  readonly status!: number | null;

  @Described(maybeText('Why the last try failed.'))
  readonly cause!: Message | null;

  @Described({ type: ['integer', 'null'], description: 'Milliseconds of the last try.' })
  readonly took_ms!: number | null;

  @Described(maybeInstant('When it is tried next.'))
  readonly next_at!: string | null;

  @Described(instant('When it was entered.'))
  readonly at!: string;
}

export function serializeDelivery(delivery: ListedDelivery, told: Telling = english): Delivery {
  const { shownId, eventId, type, state, tries, status, cause, tookMs, nextAt, createdAt } = delivery;
  return {
    id: shownId,
    event: shownEventId(eventId),
    type,
    state,
    tries,
    status,
    cause: cause === null ? null : told(messageOfText(cause)),
    took_ms: tookMs,
    next_at: nextAt?.toISOString() ?? null,
    at: createdAt.toISOString(),
  };
}

/** Which deliveries are asked for. */
export class DeliveriesQuery extends PageQuery {
  @OneOf(deliveryStates, 'Only those of this state.', ref('DeliveryState'))
  state?: DeliveryState;
}

/** What is to be sent once more: one of the three. */
export class ReplayPayload {
  @Described({ ...listOf({ type: 'string' }), maxItems: 1000 }, optional)
  readonly deliveries: unknown;

  @Described(instant('Events from this time on; with `to`.'), optional)
  readonly from: unknown;

  @Described(instant('Events before this time.'), optional)
  readonly to: unknown;

  @Described(oneOf(['failed'], 'All that have failed.'), optional)
  readonly state: unknown;
}

/** How many are sent once more. */
export class ReplayedAnswer {
  @Described({ type: 'integer' })
  readonly replayed!: number;
}

/** Where a webhook goes on. */
export class EnablePayload {
  @Described(oneOf(['where_it_stopped', 'now'], 'Whether it is told of what came meanwhile.'))
  readonly from: unknown;
}
