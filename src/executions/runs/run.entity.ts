import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Cause } from '../../common/origin.js';
import { type RunResult } from '../../common/column-values.js';

/** An attempt to start an action, other than by a person or a client, and its result. */
@Entity('runs')
export class RunEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Ascends in the order of creation. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  @Column('text')
  id!: string;

  @Column('text')
  kind!: string;

  /** The workflow whose definition contains the starter. */
  @Column('integer')
  workflowId!: number;

  /** The id of the starter. */
  @Column('text')
  starterId!: string;

  @Column('text', { nullable: true })
  actionId!: string | null;

  /** The event that caused it. */
  @Column('uuid', { nullable: true })
  eventId!: string | null;

  /** The task on which the action runs, with its names at that time. */
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

  /** The reason for the result: a message as `keptText` writes it. */
  @Column('text', { nullable: true })
  because!: string | null;

  /** The cause that the events of its execution name. */
  @Column('json', { nullable: true })
  cause!: Cause | null;

  /** Whether a rule caused the event that led to this run. */
  @Column('boolean')
  isCaused!: boolean;

  /** The values for the action while it waits. */
  @Column('jsonb', { nullable: true })
  given!: unknown;

  @Column('text', { nullable: true })
  executionId!: string | null;

  /** The local time of a firing at a set time, with its offset. */
  @Column('text', { nullable: true })
  nominal!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  /** When its execution was entered. */
  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;
}
