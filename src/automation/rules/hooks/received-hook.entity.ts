import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request received by a rule with `on: hook`, kept for seven days. */
@Entity('received_hooks')
export class ReceivedHookEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  ruleId!: string;

  /** The id that the sender gave the request. A later request with the same id takes it after 24 hours. */
  @Column('text', { nullable: true })
  webhookId!: string | null;

  /** The JSON as it was received. */
  @Column('text')
  body!: string;

  @Column('timestamptz')
  receivedAt!: Date;
}
