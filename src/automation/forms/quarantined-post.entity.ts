import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a form received from a robot, as it seems. Kept for 30 days, for an administrator to accept or discard. */
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

  /** Also shown to its sender. */
  @Column('text')
  reference!: string;

  /** The values that were sent, as JSON; of files, their names. */
  @Column('text')
  payload!: string;

  /** The files by their fields, as JSON. They are too large to be read with a list. */
  @Column('text', { nullable: true })
  files!: string | null;

  @Column('timestamptz')
  receivedAt!: Date;

  /** When its task was created. */
  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;
}
