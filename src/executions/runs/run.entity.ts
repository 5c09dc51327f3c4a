import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Cause } from '../../common/origin.js';
import { type RunResult } from '../../common/column-values.js';
import { InWorkspace } from '../../common/database/in-workspace.js';

/** An attempt of a starter, such as a rule, to start an action, and its result. */
@Entity('runs')
export class RunEntity extends InWorkspace {
  /** Grows in the order of creation. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  @Column('text')
  id!: string;

  @Column('text')
  kind!: string;

  /** The workflow whose definition contains the starter. */
  @Column('integer')
  workflowId!: number;

  @Column('text')
  starterId!: string;

  @Column('text', { nullable: true })
  actionId!: string | null;

  @Column('uuid', { nullable: true })
  eventId!: string | null;

  /** The action's task. The ids are those at the time of the run. */
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

  /** The cause of the run. The origin of the started execution contains the same cause. */
  @Column('json', { nullable: true })
  cause!: Cause | null;

  /** Whether a rule caused the event that triggered this run. */
  @Column('boolean')
  isCaused!: boolean;

  @Column('jsonb', { nullable: true })
  given!: unknown;

  @Column('text', { nullable: true })
  executionId!: string | null;

  /** The local time for which a schedule fired, with the offset from UTC. */
  @Column('text', { nullable: true })
  nominal!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;
}
