import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * When an action with approvals last succeeded on a task. `editors` who may not decide are those who changed the task
 * after that.
 */
@Entity('approval_rounds')
export class ApprovalRoundEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  actionId!: string;

  @Column('timestamptz')
  succeededAt!: Date;
}
