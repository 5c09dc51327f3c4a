import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RunResult } from '../../common/column-values.js';

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

  /** The next firing; null if there is none. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  @Column('boolean')
  isPaused!: boolean;

  /** When somebody requested an extra firing, if that has not begun. */
  @Column('timestamptz', { nullable: true })
  askedAt!: Date | null;

  /** The firing whose action is still being started on many tasks. */
  @Column('json', { nullable: true })
  firing!: FiringColumn | null;

  /** The last of these tasks on which the action was started. */
  @Column('bigint', { nullable: true })
  afterTaskId!: string | null;

  /** The local time of the last firing, with its offset. */
  @Column('text', { nullable: true })
  lastNominal!: string | null;

  @Column('timestamptz', { nullable: true })
  lastAt!: Date | null;

  @Column('text', { nullable: true })
  lastResult!: RunResult | null;

  /** Incremented by each claim. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

/** A firing in milliseconds; `nominal` is a local time. */
interface FiringColumn {
  readonly nominal: number;
  readonly offset: number;
  readonly instant: number;
  readonly isSecond: boolean;
}
