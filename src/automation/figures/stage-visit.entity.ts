import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow, InWorkspace } from '../../common/database/in-workspace.js';

/** A task's stay in a stage, from the event that began it to the event that ended it. */
@Entity('stage_visits')
export class StageVisitEntity extends InWorkspace {
  @PrimaryColumn('bigint')
  taskId!: string;

  /** Numbers the visits of the task, from 1. */
  @PrimaryColumn('integer')
  n!: number;

  @Column('integer')
  workflowId!: number;

  @Column('integer')
  stageId!: number;

  /** The next stage; null while the task is in this stage, or if the task was deleted in it. */
  @Column('integer', { nullable: true })
  stageTo!: number | null;

  @Column('timestamptz')
  enteredAt!: Date;

  @Column('timestamptz', { nullable: true })
  leftAt!: Date | null;

  /** When the first visit of the task began. */
  @Column('timestamptz')
  beganAt!: Date;

  /** Whether the task was imported or its creation is unknown. The task's age is then unknown. */
  @Column('boolean')
  isImported!: boolean;
}

/** Counts the tasks that left a stage for another stage on a day, by the length of the visit or by age. */
@Entity('length_days')
export class LengthDayEntity extends InWorkflow {
  @PrimaryColumn('integer')
  stageId!: number;

  /** 0 if tasks are counted by the length of the visit. The next stage if tasks are counted by age. */
  @PrimaryColumn('integer')
  stageTo!: number;

  @PrimaryColumn('date')
  day!: string;

  @PrimaryColumn('boolean')
  isImported!: boolean;

  /** The number of the range that contains the counted lengths. The range ends about 1 % above its start. */
  @PrimaryColumn('integer')
  cell!: number;

  @Column('integer')
  n!: number;

  /** The longest of the counted lengths, in seconds. */
  @Column('double precision')
  longest!: number;
}

/** How many tasks of a workflow moved from one stage to another on a day in the workspace's time zone. */
@Entity('flow_days')
export class FlowDayEntity extends InWorkflow {
  @PrimaryColumn('date')
  day!: string;

  /** The stage that the tasks left; 0 if they were created, or if that stage is unknown. */
  @PrimaryColumn('integer')
  stageFrom!: number;

  /** The stage that the tasks entered; 0 if they were deleted. */
  @PrimaryColumn('integer')
  stageTo!: number;

  @PrimaryColumn('boolean')
  isImported!: boolean;

  @Column('integer')
  n!: number;
}
