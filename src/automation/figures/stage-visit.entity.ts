import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A task's stay in a stage, from the event that began it to the event that ended it. */
@Entity('stage_visits')
export class StageVisitEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** The number of the task's visit, from 1. */
  @PrimaryColumn('integer')
  n!: number;

  @Column('integer')
  workflowId!: number;

  @Column('integer')
  stageId!: number;

  /** The next stage; null while the task is here, or if it was deleted here. */
  @Column('integer', { nullable: true })
  stageTo!: number | null;

  @Column('timestamptz')
  enteredAt!: Date;

  @Column('timestamptz', { nullable: true })
  leftAt!: Date | null;

  /** When the first visit of the task began. */
  @Column('timestamptz')
  beganAt!: Date;

  /** Whether the task was imported, so that its beginning is unknown. */
  @Column('boolean')
  isImported!: boolean;
}

/** How many tasks left a stage on a day of the workspace, by how long they were there or existed. */
@Entity('length_days')
export class LengthDayEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('integer')
  stageId!: number;

  /** The next stage, for the time since the creation; 0 for the stays in the stage. */
  @PrimaryColumn('integer')
  stageTo!: number;

  @PrimaryColumn('date')
  day!: string;

  @PrimaryColumn('boolean')
  isImported!: boolean;

  /** The number of the cell for the length; those of neighbouring cells differ by 1 %. */
  @PrimaryColumn('integer')
  cell!: number;

  @Column('integer')
  n!: number;

  /** The longest of them, in seconds. */
  @Column('double precision')
  longest!: number;
}

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
