import { eventTypes } from '../common/named-by-features.js';
import { IsInstance, IsOptional, Length, Matches } from 'class-validator';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { deliveryStates, type DeliveryState } from '../common/column-values.js';
import { type WebhookEntity, type WebhookState, webhookStates } from './webhook.entity.js';
import { PageQuery } from '../common/http/paged-list.js';
import { IsFilled, IsText, IsTexts, telling } from '../common/http/read-dto.js';
import { OneOf } from '../common/http/query.decorator.js';
import { shownEventId } from '../common/origin.js';
import { type ListedDelivery } from './deliveries.repository.js';
import { english, messageOfText } from '../common/message.js';

const textsByName = {
  type: 'object',
  additionalProperties: { type: 'string' },
} as const;

@ApiSchema({ name: 'NewWebhook' })
export class WebhookPayload {
  @ApiPropertyOptional({ description: '1 to 64 letters, digits, _ and -. Default: a random id.' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'may hold 1 to 64 letters, digits, _ and - only' })
  @IsText()
  readonly id?: string;

  @ApiProperty({ description: 'The http or https address to which events are sent by POST.' })
  @Length(1, 2048, telling('is not 1 to 2048 characters long'))
  @IsText()
  @IsFilled()
  readonly url?: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: eventTypes }, minItems: 1 })
  @IsTexts()
  @IsFilled()
  readonly events?: readonly string[];

  @ApiPropertyOptional({ type: [String], nullable: true, description: 'Ids of workflows. Default: all.' })
  @IsOptional()
  @IsTexts()
  readonly workflows?: readonly string[] | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'A CEL expression; needs one workflow.' })
  @IsOptional()
  @IsText()
  readonly when?: string | null;

  @ApiPropertyOptional({ description: 'More headers; values may contain `{{secret.NAME}}`.', ...textsByName })
  @IsOptional()
  @IsInstance(Map, telling('is not an object'))
  readonly headers?: ReadonlyMap<string, unknown>;
}

export class Webhook {
  @ApiProperty({ description: 'Identifies the webhook.' })
  readonly id!: string;

  @ApiProperty({ description: 'Where events are sent.' })
  readonly url!: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: eventTypes } })
  readonly events!: readonly string[];

  @ApiProperty({ type: [String], nullable: true, description: 'Ids of workflows; null means all.' })
  readonly workflows!: readonly string[] | null;

  @ApiProperty({ type: String, nullable: true, description: 'The condition; null if there is none.' })
  readonly when!: string | null;

  @ApiProperty({ description: 'More headers; secrets are shown as placeholders.', ...textsByName })
  readonly headers!: Readonly<Record<string, string>>;

  @ApiProperty({ enum: webhookStates, description: 'New events are sent only to active webhooks.' })
  readonly state!: WebhookState;

  @ApiProperty({ enum: ['api', 'definition'], description: 'Where the webhook is managed.' })
  readonly managed_by!: 'api' | 'definition';

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly failing_since!: string | null;
}

export function serializeWebhook(webhook: WebhookEntity): Webhook {
  const { id, url, events, workflows, when, headers, state, managedBy } = webhook;
  return {
    id,
    url,
    events,
    workflows,
    when,
    headers,
    state,
    managed_by: managedBy,
    failing_since: webhook.failingSince?.toISOString() ?? null,
  };
}

export class WebhookSecret {
  @ApiProperty({ description: '`whsec_` and Base64: the form that libraries for Standard Webhooks expect.' })
  readonly secret!: string;
}

export class Delivery {
  @ApiProperty({ description: 'Identifies the delivery.' })
  readonly id!: string;

  @ApiProperty({ description: 'The id of the event.' })
  readonly event!: string;

  @ApiProperty({ description: 'The type of the event.' })
  readonly type!: string;

  @ApiProperty({ enum: deliveryStates, description: '`pending` until a try succeeds or the last try fails.' })
  readonly state!: DeliveryState;

  @ApiProperty({ type: 'integer', description: 'The number of tries.' })
  readonly tries!: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The status of the answer to the last try.' })
  readonly status!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last try failed.' })
  readonly cause!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'How many milliseconds the last try took.' })
  readonly took_ms!: number | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Time of the next try.' })
  readonly next_at!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the delivery was created.' })
  readonly at!: string;
}

export function serializeDelivery(delivery: ListedDelivery): Delivery {
  const { shownId, eventId, type, state, tries, status, cause, tookMs, nextAt, createdAt } = delivery;
  return {
    id: shownId,
    event: shownEventId(eventId),
    type,
    state,
    tries,
    status,
    cause: cause === null ? null : english(messageOfText(cause)),
    took_ms: tookMs,
    next_at: nextAt?.toISOString() ?? null,
    at: createdAt.toISOString(),
  };
}

export class DeliveriesQuery extends PageQuery {
  @OneOf(deliveryStates, 'Only deliveries in this state.', 'DeliveryState')
  state?: DeliveryState | undefined;
}

@ApiSchema({ name: 'Replay' })
export class ReplayPayload {
  @ApiPropertyOptional({
    type: [String],
    maxItems: 1000,
    description: 'Ids of deliveries. Default: all failed deliveries.',
  })
  @IsOptional()
  @IsTexts()
  readonly deliveries?: readonly string[];
}

@ApiSchema({ name: 'Replayed' })
export class ReplayedAnswer {
  @ApiProperty({ type: 'integer' })
  readonly replayed!: number;
}
