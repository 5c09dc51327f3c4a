import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When the action last succeeded on the task. `editors` are those who changed the task after that. */
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
