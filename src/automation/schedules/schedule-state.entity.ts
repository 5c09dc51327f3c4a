import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Firing } from '../../workflows/time/firings.js';
import { InWorkflow } from '../../common/database/in-workspace.js';

/** The state of a schedule, apart from its definition. */
@Entity('schedule_states')
export class ScheduleStateEntity extends InWorkflow {
  @PrimaryColumn('text')
  scheduleId!: string;

  /** The settings that determine the firings, as JSON. Changing them cancels firings that were due. */
  @Column('text')
  timetable!: string;

  /** Firings up to this time are no longer due. */
  @Column('timestamptz')
  countedFrom!: Date;

  /** When the schedule next fires or continues a firing; null if never. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  @Column('boolean')
  isPaused!: boolean;

  /** When somebody requested an extra firing that has not begun; otherwise null. */
  @Column('timestamptz', { nullable: true })
  askedAt!: Date | null;

  /** The unfinished firing, whose action is still being started on many tasks. */
  @Column('json', { nullable: true })
  firing!: Firing | null;

  /** The last task on which the unfinished firing started the action. */
  @Column('bigint', { nullable: true })
  afterTaskId!: string | null;

  /** Incremented by each claim, by pausing, and by a change of the timetable. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}
