import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../../../common/database/in-workspace.js';

/** A request received by a rule with `on: hook`, kept for seven days. */
@Entity('received_hooks')
export class ReceivedHookEntity extends InWorkspace {
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  ruleId!: string;

  /** The id that the sender gave the request. Null if there is none, or if it came again after 24 hours. */
  @Column('text', { nullable: true })
  webhookId!: string | null;

  /** The JSON as it was received. */
  @Column('text')
  body!: string;

  @Column('timestamptz')
  receivedAt!: Date;
}
