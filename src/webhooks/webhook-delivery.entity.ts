import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type DeliveryState } from '../common/column-values.js';
import { InWorkspace } from '../common/database/in-workspace.js';

@Entity('webhook_deliveries')
export class WebhookDeliveryEntity extends InWorkspace {
  /** Grows in the order in which deliveries are queued. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  /** Random, so that the id does not reveal the number of deliveries. */
  @Column('text')
  id!: string;

  @Column('text')
  webhookId!: string;

  @Column('uuid')
  eventId!: string;

  /** The place of the event in the log of events; null for a test event. */
  @Column('bigint', { nullable: true })
  eventPlace!: string | null;

  @Column('text')
  type!: string;

  /** The task of the event. After a failure, later deliveries of the task wait: see `waitsInLine`. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  /** Whether a replay or a test created the delivery, which is then tried only once. */
  @Column('boolean')
  isSingle!: boolean;

  @Column('text')
  state!: DeliveryState;

  @Column('integer')
  tries!: number;

  @Column('integer', { nullable: true })
  status!: number | null;

  /** Why the last try failed, as `keptText` writes it. */
  @Column('text', { nullable: true })
  cause!: string | null;

  @Column('integer', { nullable: true })
  tookMs!: number | null;

  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  /** When a try of the delivery first failed. Null again after a success, or when the webhook is enabled. */
  @Column('timestamptz', { nullable: true })
  failedAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
