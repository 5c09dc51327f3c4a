import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Firing } from '../../workflows/time/firings.js';

/** The state of a schedule that is not in its definition. */
@Entity('schedule_states')
export class ScheduleStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  scheduleId!: string;

  /** The settings that determine its firings, as a text. If they change, earlier firings no longer count. */
  @Column('text')
  timetable!: string;

  /** All firings until this time are finished. */
  @Column('timestamptz')
  countedFrom!: Date;

  /** When it has something to do: fire, or go on with a firing; null if never. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  @Column('boolean')
  isPaused!: boolean;

  /** When somebody requested an extra firing, if that has not begun. */
  @Column('timestamptz', { nullable: true })
  askedAt!: Date | null;

  /** The firing whose action is still being started on many tasks. */
  @Column('json', { nullable: true })
  firing!: Firing | null;

  /** The last of these tasks on which the action was started. */
  @Column('bigint', { nullable: true })
  afterTaskId!: string | null;

  /** Incremented by each claim. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}
