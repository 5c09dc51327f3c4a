import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A task's stay in a stage, by the events that began and ended it. */
@Entity('stage_visits')
export class StageVisitEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** Counts the visits of the task from 1. */
  @PrimaryColumn('integer')
  n!: number;

  @Column('integer')
  workflowId!: number;

  @Column('integer')
  stageId!: number;

  /** The next stage; null while the task is here, and if it was deleted here. */
  @Column('integer', { nullable: true })
  stageTo!: number | null;

  @Column('timestamptz')
  enteredAt!: Date;

  @Column('timestamptz', { nullable: true })
  leftAt!: Date | null;

  /** When the first visit of the task began. */
  @Column('timestamptz')
  beganAt!: Date;

  /** By the calendar of the workspace at that time; null while the task is here, and without a calendar. */
  @Column('bigint', { nullable: true })
  workingMs!: string | null;

  /** The sum of `workingMs` of the earlier visits. */
  @Column('bigint', { nullable: true })
  workedBeforeMs!: string | null;

  /** Whether the task came from an import, so that nothing is known of its beginning. */
  @Column('boolean')
  isImported!: boolean;

  /** The place of the event that began the visit. */
  @Column('bigint')
  place!: string;

  /** Who began it: the id of a user, or of a key. */
  @Column('text', { nullable: true })
  actor!: string | null;

  @Column('text', { nullable: true })
  execution!: string | null;
}
