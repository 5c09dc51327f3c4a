import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An action that starts on a task at some time. The row goes with the start. */
@Entity('timers')
export class TimerEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

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

  /** Who performs the action; null where the timer does. */
  @Column('text', { nullable: true })
  performerId!: string | null;

  /** What the action is given, if it asks for values. */
  @Column('jsonb', { nullable: true })
  given!: unknown;

  /** Whether it ends without a start when the stage of the task changes. */
  @Column('boolean')
  isCancelledByStage!: boolean;

  /** The transaction that has made it. */
  @Column('bigint')
  tx!: string;

  @Column('timestamptz')
  createdAt!: Date;

  /** Raised by every claim. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}
