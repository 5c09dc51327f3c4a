import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request received by a rule on hook, kept for seven days. */
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

  /** The sender's id of the request, unique for 24 hours and then null; also null if there was none. */
  @Column('text', { nullable: true })
  webhookId!: string | null;

  /** The JSON as it was received. */
  @Column('text')
  body!: string;

  @Column('timestamptz')
  receivedAt!: Date;
}
