import { Column, Entity, PrimaryColumn } from 'typeorm';

export const clockStates = ['running', 'paused', 'met', 'breached', 'cancelled'] as const;

/** A clock of a task: the time used so far, and the deadline. */
@Entity('clocks')
export class ClockEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  clockId!: string;

  @Column('text')
  state!: (typeof clockStates)[number];

  /** The state that `fold-clock.ts` computes. */
  @Column('json')
  row!: object;

  /** The place of the last event of the task that the clock has processed. */
  @Column('bigint')
  eventPlace!: string;

  /** The deadline; null while the clock is paused and after it has ended. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** When the next rung is due. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;
}

/** An apply that changed the clocks of a workflow, and the progress of their recalculation. */
@Entity('clock_changes')
export class ClockChangeEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** The version of the definition. */
  @Column('integer')
  version!: number;

  /** The last task whose clocks were recalculated. The clocks of others are recalculated when they fire. */
  @Column('bigint')
  afterTaskId!: string;

  @Column('timestamptz')
  changedAt!: Date;
}
