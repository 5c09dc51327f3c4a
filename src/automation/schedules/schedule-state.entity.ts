import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RunResult } from '../../common/column-values.js';

/** The state of a schedule besides its definition. */
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

  /** All firings up to this time are finished. */
  @Column('timestamptz')
  countedFrom!: Date;

  /** Null if it never fires again. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  @Column('boolean')
  isPaused!: boolean;

  /** When somebody requested an extra firing that has not begun. */
  @Column('timestamptz', { nullable: true })
  askedAt!: Date | null;

  /** The present firing, while its action is being started on many tasks. */
  @Column('json', { nullable: true })
  firing!: FiringColumn | null;

  /** The last task on which the action was started. */
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
