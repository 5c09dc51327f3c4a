import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from '../workflows/model/entities/listed.js';

export const webhookStates = ['active', 'paused', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** A webhook: the events that it receives, and its position in the feed. */
@Entity('webhooks')
export class WebhookEntity extends ListedInWorkspace {
  /** The id in the definition, or the one that a client of the API gave; otherwise random. */
  @PrimaryColumn('text')
  id!: string;

  /** Who manages the webhook: the definition, or a client of the API. */
  @Column('text')
  managedBy!: 'api' | 'definition';

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  events!: string[];

  /** The ids of the workflows whose events the webhook receives; null for all workflows. */
  @Column('text', { array: true, nullable: true })
  workflows!: string[] | null;

  @Column('text', { nullable: true })
  when!: string | null;

  @Column('json')
  headers!: Record<string, string>;

  @Column('text')
  state!: WebhookState;

  /** The time of the first failure since the last success, or null. Replays and tests do not count. */
  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  /** The webhook has processed all events of the feed up to this position. */
  @Column('bigint')
  feedPosition!: string;

  /** The number of claims. Writes with an older number are rejected. */
  @Column('integer')
  fence!: number;

  /** The end of the last claim's lease, in database time. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  /** The webhook receives no events from before this time. */
  @Column('timestamptz')
  beginsAt!: Date;

  /** The secret that signs deliveries. A query must select the secret explicitly. */
  @Column('bytea', { select: false })
  secret!: Buffer;

  /** The previous secret, which also signs deliveries until `formerSecretUntil`. */
  @Column('bytea', { nullable: true, select: false })
  formerSecret!: Buffer | null;

  @Column('timestamptz', { nullable: true, select: false })
  formerSecretUntil!: Date | null;
}
