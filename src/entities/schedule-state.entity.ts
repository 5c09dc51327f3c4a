import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RunResult } from './column-values.js';

/** What is known of a schedule beside its definition. */
@Entity('schedule_states')
export class ScheduleStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  scheduleId!: string;

  /** What says when it fires, as a text; where that changes, no firing from before counts. */
  @Column('text')
  timetable!: string;

  /** The version of the time zone data by which `nextAt` was found. */
  @Column('text')
  zoneData!: string;

  @Column('timestamptz')
  appliedAt!: Date;

  /** Firings up to here are done with. */
  @Column('timestamptz')
  countedFrom!: Date;

  /** Null where it never fires again. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  @Column('boolean')
  isPaused!: boolean;

  /** When somebody asked for a firing that has not begun. */
  @Column('timestamptz', { nullable: true })
  askedAt!: Date | null;

  /** What fires, where its action is being started on many tasks. */
  @Column('json', { nullable: true })
  firing!: FiringColumn | null;

  /** The task up to which that is done. */
  @Column('bigint', { nullable: true })
  afterTaskId!: string | null;

  /** The local time, with its offset, that it fired for last. */
  @Column('text', { nullable: true })
  lastNominal!: string | null;

  @Column('timestamptz', { nullable: true })
  lastAt!: Date | null;

  @Column('text', { nullable: true })
  lastResult!: RunResult | null;

  /** Raised by every claim. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

/** A firing, in milliseconds; `nominal` is local time. */
export interface FiringColumn {
  readonly nominal: number;
  readonly offset: number;
  readonly instant: number;
  readonly isSecond: boolean;
}
