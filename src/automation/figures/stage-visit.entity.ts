import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A task's stay in a stage, from the event that began it to the event that ended it. */
@Entity('stage_visits')
export class StageVisitEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** Numbers the visits of the task, from 1. */
  @PrimaryColumn('integer')
  n!: number;

  @Column('integer')
  workflowId!: number;

  @Column('integer')
  stageId!: number;

  /** The next stage; null while the task is in this stage, or if it was deleted there. */
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

/** Counts the tasks that left a stage for another one on a day, by the length of their stay or by age. */
@Entity('length_days')
export class LengthDayEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('integer')
  stageId!: number;

  /** 0 if the row counts tasks by the length of their stay; the next stage if it counts them by their age. */
  @PrimaryColumn('integer')
  stageTo!: number;

  @PrimaryColumn('date')
  day!: string;

  @PrimaryColumn('boolean')
  isImported!: boolean;

  /** The number of the range that contains the counted lengths. Ranges grow by about 1 % each. */
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
export class FlowDayEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('date')
  day!: string;

  /** The stage that the tasks left; 0 if they were created, or if this stage is not known. */
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
