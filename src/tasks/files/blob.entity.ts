import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../../common/database/in-workspace.js';

/** A blob in the blob store: an attachment of a task, or bytes to which no task refers. */
@Entity('blobs')
export class BlobEntity extends InWorkspace {
  /** Random, so that the id does not reveal the number of blobs. */
  @PrimaryColumn('text')
  id!: string;

  @Column('integer', { nullable: true })
  workflowId!: number | null;

  @Column('bigint', { nullable: true })
  taskId!: string | null;

  @Column('text', { nullable: true })
  filename!: string | null;

  @Column('text', { nullable: true })
  contentType!: string | null;

  /** The size in bytes. */
  @Column('bigint', { nullable: true })
  size!: string | null;

  @Column('bytea', { nullable: true })
  sha256!: Buffer | null;

  /** The time since which no task has referred to the blob; null while a task refers to it. */
  @Column('timestamptz', { nullable: true })
  unnamedAt!: Date | null;

  /** Whether the removal of the blob has begun. If so, no task can refer to the blob any more. */
  @Column('boolean')
  isDoomed!: boolean;
}
