import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ExecutionStatus } from './column-values.js';

/** An action that was begun on a task, and what came of it. */
@Entity('executions')
export class ExecutionEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Random, so that it tells nothing. */
  @PrimaryColumn('text')
  id!: string;

  /** Counts up in the order of creation. */
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

  /** Null where the key itself acts. */
  @Column('text', { nullable: true })
  performerId!: string | null;

  /** Who began it, as events tell; null where that was before there were any. */
  @Column('text', { nullable: true })
  origin!: string | null;

  /** The version of the definition at its beginning, and the steps that it had then. */
  @Column('integer')
  definition!: number;

  @Column('json')
  steps!: unknown[];

  /** What was given to it, if its action asks for values. */
  @Column('jsonb', { nullable: true })
  given!: unknown;

  @Column('text')
  status!: ExecutionStatus;

  /** Why it failed: messages as `keptText` writes them. */
  @Column('text', { array: true, nullable: true })
  errors!: string[] | null;

  /** What `api_call`s were answered, by the index of the step: so that none is made twice. */
  @Column('jsonb')
  answers!: Record<string, unknown>;

  /** What became of each step. */
  @Column('jsonb')
  outcomes!: unknown[];

  /** Counts the claims; who writes under an older one is refused. */
  @Column('integer')
  fence!: number;

  /** Claims since the last progress. */
  @Column('integer')
  claims!: number;

  /** Until when it belongs to whoever claimed it last, by the database's clock. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
