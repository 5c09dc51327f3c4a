import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An origin that webhooks of a workspace send to. One process at a time sends to it. */
@Entity('webhook_receivers')
export class WebhookReceiverEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  origin!: string;

  /** Counts the claims. Writes under an older number are rejected. */
  @Column('integer')
  fence!: number;

  /** The end of the last claim's lease, in database time. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}
