import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An origin that webhooks of a workspace lead to: one process at a time sends to it. */
@Entity('webhook_receivers')
export class WebhookReceiverEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  origin!: string;

  /** Counts the claims; who writes under an older one is refused. */
  @Column('integer')
  fence!: number;

  /** Until when it belongs to whoever claimed it last, by the database's clock. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}
