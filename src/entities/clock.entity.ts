import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type clockStates } from './column-values.js';

/** A deadline of a task: how much of its time is consumed, and when it is due. */
@Entity('clocks')
export class ClockEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** The id of the clock in the definition. */
  @PrimaryColumn('text')
  clockId!: string;

  @Column('text')
  state!: (typeof clockStates)[number];

  /** What `clocks/fold.ts` keeps of it. */
  @Column('json')
  row!: object;

  /** All events of the task up to this place are taken in. */
  @Column('bigint')
  eventPlace!: string;

  /** When its time is used up; null while it is paused, or where it has ended. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** When its next rung is due. */
  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;
}
