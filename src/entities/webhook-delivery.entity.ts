import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type DeliveryState } from './column-values.js';

/** An event on its way to a webhook, and what became of it. */
@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Counts up in the order of the feed. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  /** Random, so that it tells nothing. */
  @Column('text')
  id!: string;

  @Column('text')
  webhookId!: string;

  @Column('uuid')
  eventId!: string;

  /** Where the event stands among all of the workspace; null for one that was made as a test. */
  @Column('bigint', { nullable: true })
  eventPlace!: string | null;

  @Column('text')
  type!: string;

  /** The task whose events are told in order. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  /** Whether it was asked for by a replay or a test: tried once, whatever comes of it. */
  @Column('boolean')
  isSingle!: boolean;

  @Column('text')
  state!: DeliveryState;

  @Column('integer')
  tries!: number;

  /** What the last try was answered with. */
  @Column('integer', { nullable: true })
  status!: number | null;

  /** Why the last try failed: a message as `keptText` writes it. */
  @Column('text', { nullable: true })
  cause!: string | null;

  /** Milliseconds of the last try. */
  @Column('integer', { nullable: true })
  tookMs!: number | null;

  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  /** When its first try failed. */
  @Column('timestamptz', { nullable: true })
  failedAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
