import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Cause } from './cause.js';
import { type RunKind, type RunResult } from './column-values.js';

/** One time that a rule, clock, schedule or timer came to start an action, and what came of it. */
@Entity('runs')
export class RunEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Counts up in the order of creation. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  @Column('text')
  id!: string;

  @Column('text')
  kind!: RunKind;

  /** The workflow whose definition has the rule, clock or schedule. */
  @Column('integer')
  workflowId!: number;

  /** The id of the rule, clock, schedule or timer. */
  @Column('text')
  starterId!: string;

  @Column('text', { nullable: true })
  actionId!: string | null;

  /** The event that led to it. */
  @Column('uuid', { nullable: true })
  eventId!: string | null;

  /** The task on which the action runs, and what it was called then. */
  @Column('integer', { nullable: true })
  taskWorkflowId!: number | null;

  @Column('bigint', { nullable: true })
  taskId!: string | null;

  @Column('text', { nullable: true })
  publicId!: string | null;

  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('text')
  result!: RunResult;

  /** Why it came to this: a message as `keptText` writes it. */
  @Column('text', { nullable: true })
  because!: string | null;

  /** What the events of its execution name as their cause. */
  @Column('json', { nullable: true })
  cause!: Cause | null;

  /** Whether the event that led to it was itself caused by a rule. */
  @Column('boolean')
  isCaused!: boolean;

  /** What its action is given, while it waits. */
  @Column('jsonb', { nullable: true })
  given!: unknown;

  @Column('text', { nullable: true })
  executionId!: string | null;

  /** The local time, with its offset, that a schedule fired for. */
  @Column('text', { nullable: true })
  nominal!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  /** When its execution was entered. */
  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;
}
