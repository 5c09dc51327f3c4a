import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from '../workflows/model/entities/listed.js';

export const webhookStates = ['active', 'paused', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** A webhook: the events that it receives, and its position in the feed. */
@Entity('webhooks')
export class WebhookEntity extends ListedInWorkspace {
  /** The id in the definition, or a random one. */
  @PrimaryColumn('text')
  id!: string;

  /** Whether it comes from the definition, or from a program that subscribed. */
  @Column('text')
  managedBy!: 'api' | 'definition';

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  events!: string[];

  /** The path ids of its workflows; null for all workflows. */
  @Column('text', { array: true, nullable: true })
  workflows!: string[] | null;

  @Column('text', { nullable: true })
  when!: string | null;

  @Column('json')
  headers!: Record<string, string>;

  @Column('text')
  state!: WebhookState;

  /** The first failure since the last success. */
  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  /** All events up to this position have been processed. */
  @Column('bigint')
  feedPosition!: string;

  /** Counts the claims. Writes under an older number are rejected. */
  @Column('integer')
  fence!: number;

  /** The end of the last claim's lease, in database time. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  /** It does not receive events before this time. */
  @Column('timestamptz')
  beginsAt!: Date;

  /** The secret that signs deliveries; read only by statements that need it. */
  @Column('bytea', { select: false })
  secret!: Buffer;

  /** The previous secret, and the time until which it signs as well. */
  @Column('bytea', { nullable: true, select: false })
  formerSecret!: Buffer | null;

  @Column('timestamptz', { nullable: true, select: false })
  formerSecretUntil!: Date | null;
}
