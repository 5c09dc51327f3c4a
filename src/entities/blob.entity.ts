import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes of an attachment in the blob store, or what may be left of them there. */
@Entity('blobs')
export class BlobEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Made up by the service; random, so that it tells nothing. */
  @PrimaryColumn('text')
  id!: string;

  @Column('integer', { nullable: true })
  workflowId!: number | null;

  /** The task that names it. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  @Column('text', { nullable: true })
  filename!: string | null;

  @Column('text', { nullable: true })
  contentType!: string | null;

  /** Bytes. */
  @Column('bigint', { nullable: true })
  size!: string | null;

  @Column('bytea', { nullable: true })
  sha256!: Buffer | null;

  /** Since when no task names it. */
  @Column('timestamptz', { nullable: true })
  unnamedAt!: Date | null;

  /** Whether the sweep has begun to remove it. */
  @Column('boolean')
  isDoomed!: boolean;
}
