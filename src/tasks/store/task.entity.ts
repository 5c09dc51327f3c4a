import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow } from '../../common/database/in-workspace.js';

@Entity('tasks')
export class TaskEntity extends InWorkflow {
  /** Grows in the order of creation. The API never returns it. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  /** The task id in a `Task URL`; random, so that it does not reveal the number of tasks. */
  @Column('text')
  publicId!: string;

  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('integer')
  stageId!: number;

  @Column('boolean')
  isActive!: boolean;

  @Column('text', { nullable: true })
  assigneeId!: string | null;

  /** Values in canonical form by field id. Blank fields have no key. */
  @Column('jsonb')
  fieldValues!: Record<string, string | true | string[]>;

  @Column('integer')
  version!: number;

  /** Added to `version` for clients. Random, so that no later task with this Unique ID repeats a version. */
  @Column('bigint')
  versionOffset!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  /**
   * When the task entered its stage. `stageVersion` is the version that the task got then. Both are null if
   * the task entered its stage before these columns existed.
   */
  @Column('timestamptz', { nullable: true })
  stageAt!: Date | null;

  @Column('integer', { nullable: true })
  stageVersion!: number | null;

  /** The earliest of the task's deadlines, including overdue ones. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;
}

/** The highest number that a workflow has assigned or received as a Unique ID, if it numbers its tasks. */
@Entity('unique_id_counters')
export class UniqueIdCounterEntity extends InWorkflow {
  @Column('numeric')
  last!: string;
}
