import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ExecutionStatus } from '../common/column-values.js';
import { InWorkspace } from '../common/database/in-workspace.js';

@Entity('executions')
export class ExecutionEntity extends InWorkspace {
  /** A random id, which does not reveal the number of executions. */
  @PrimaryColumn('text')
  id!: string;

  /** Grows in the order of creation. */
  @Column('bigint', { generated: 'identity' })
  place!: string;

  @Column('integer')
  workflowId!: number;

  /** The task may have been deleted. */
  @Column('bigint')
  taskId!: string;

  @Column('text')
  actionId!: string;

  @Column('text')
  actionName!: string;

  /** The user who performs the action. Null if, for example, a key or a rule performs it. */
  @Column('text', { nullable: true })
  performerId!: string | null;

  /** The origin of the start, as in events; null for old executions. */
  @Column('text', { nullable: true })
  origin!: string | null;

  /** The definition's version when the execution was created. `steps` come from this version. */
  @Column('integer')
  definition!: number;

  @Column('json')
  steps!: unknown[];

  @Column('jsonb', { nullable: true })
  given!: unknown;

  @Column('text')
  status!: ExecutionStatus;

  /** The reasons for a failure: messages as `keptText` writes them. */
  @Column('text', { array: true, nullable: true })
  errors!: string[] | null;

  /** The answers of other systems, by the index of the step. A call that has an answer is not made again. */
  @Column('jsonb')
  answers!: Record<string, unknown>;

  @Column('jsonb')
  outcomes!: unknown[];

  /** The number of all claims. A write with an older number changes nothing. */
  @Column('integer')
  fence!: number;

  /**
   * The number of claims since the last recorded answer, including the claim that recorded it. A claim that
   * was given back is not counted.
   */
  @Column('integer')
  claims!: number;

  /** The end of the last claim's lease, in database time. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
