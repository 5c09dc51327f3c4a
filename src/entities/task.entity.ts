import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('tasks')
export class TaskEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** Counts up in the order of creation; never leaves the service. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  /** The task id that a `Task URL` shows; random, so that it tells no count. */
  @Column('text')
  publicId!: string;

  /** The value of the Unique ID field. */
  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('integer')
  stageId!: number;

  /** Whether the stage is no end stage. */
  @Column('boolean')
  isActive!: boolean;

  @Column('text', { nullable: true })
  assigneeId!: string | null;

  /** Canonical values by field id; a blank field has no key. */
  @Column('jsonb')
  fieldValues!: Record<string, string | true | string[]>;

  /** Counts the changes of the task. */
  @Column('integer')
  version!: number;

  /** What is added to the version that is shown; random, so that a later task of the Unique ID repeats none. */
  @Column('bigint')
  versionOffset!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  /** When it came to its stage, and the version by which it did; null where that was before this was kept. */
  @Column('timestamptz', { nullable: true })
  stageAt!: Date | null;

  @Column('integer', { nullable: true })
  stageVersion!: number | null;

  /** The earliest end of its clocks that run or are overdue. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;
}
