import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What came to a rule on hook; kept for seven days. */
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

  /** What the sender calls it: unique for 24 hours, null afterwards and where the sender said nothing. */
  @Column('text', { nullable: true })
  webhookId!: string | null;

  /** The JSON as it was sent. */
  @Column('text')
  body!: string;

  @Column('timestamptz')
  receivedAt!: Date;
}
