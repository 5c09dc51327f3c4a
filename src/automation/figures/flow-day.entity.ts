import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many tasks of a workflow went from one stage to another on a day of the workspace. */
@Entity('flow_days')
export class FlowDayEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('date')
  day!: string;

  /** 0 for tasks that were created. */
  @PrimaryColumn('integer')
  stageFrom!: number;

  /** 0 for tasks that were deleted. */
  @PrimaryColumn('integer')
  stageTo!: number;

  @PrimaryColumn('boolean')
  isImported!: boolean;

  @Column('integer')
  n!: number;
}
