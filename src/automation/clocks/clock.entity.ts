import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow, InWorkspace } from '../../common/database/in-workspace.js';

export const clockStates = ['running', 'paused', 'met', 'breached', 'cancelled'] as const;

/** The stored state of a task's clock, with its deadline. */
@Entity('clocks')
export class ClockEntity extends InWorkspace {
  @Column('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  clockId!: string;

  @Column('text')
  state!: (typeof clockStates)[number];

  /** The `ClockRow` that `fold-clock.ts` computes, with the version of the definition. */
  @Column('json')
  row!: object;

  /** The clock has processed the events of its task up to this place in the log of events. */
  @Column('bigint')
  eventPlace!: string;

  /** The deadline; null if the clock has none, has ended, or is paused with a part of its budget left. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /**
   * When the next rung is due, or when the clock is tried again. Null if the clock has ended, or if no
   * remaining rung has a known time.
   */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;
}

/** A definition that changed the clocks of a workflow, and the progress of the recalculation. */
@Entity('clock_changes')
export class ClockChangeEntity extends InWorkflow {
  @Column('integer')
  version!: number;

  /**
   * The sweep has recalculated the clocks of tasks up to this id. If a task with a greater id has an event or
   * a due rung before the sweep reaches it, its clocks are recalculated at once.
   */
  @Column('bigint')
  afterTaskId!: string;

  @Column('timestamptz')
  changedAt!: Date;
}
