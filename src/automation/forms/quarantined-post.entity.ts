import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a form received, probably from a robot. It is kept for 30 days. */
@Entity('quarantined_posts')
export class QuarantinedPostEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  formId!: string;

  /** The reference that the sender also sees. */
  @Column('text')
  reference!: string;

  /** The values that were sent, as JSON. Files appear by name only. */
  @Column('text')
  payload!: string;

  /** The files by their fields, as JSON. They are too large to be read with a list. */
  @Column('text', { nullable: true })
  files!: string | null;

  @Column('timestamptz')
  receivedAt!: Date;

  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;
}
