import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Cause } from '../../common/origin.js';
import { type Given } from '../given.js';
import { InWorkspace } from '../../common/database/in-workspace.js';

/** An action that starts on a task at a given time. The start deletes the row. */
@Entity('timers')
export class TimerEntity extends InWorkspace {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('bigint')
  taskId!: string;

  @Column('text')
  actionId!: string;

  @Column('timestamptz')
  at!: Date;

  @Column('jsonb', { nullable: true })
  given!: Given | null;

  /** The rules and the user that caused the timer. They also count as causes of the started execution. */
  @Column('jsonb', { nullable: true })
  cause!: Pick<Cause, 'chain' | 'initiator'> | null;

  /** Whether a change of the task's stage cancels the timer. */
  @Column('boolean')
  isCancelledByStage!: boolean;

  @Column('bigint')
  tx!: string;

  /** Incremented whenever a process claims the timer. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}
