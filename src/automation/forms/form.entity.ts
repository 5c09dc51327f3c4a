import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The state of a form that is not in its definition. */
@Entity('form_states')
export class FormStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  formId!: string;

  /** The secret ends of its addresses, newest last. Administrators read them again, so they are in clear. */
  @Column('text', { array: true })
  tokens!: string[];

  /** The last day, in the workspace's time zone, on which it created a task, and how many it created that day. */
  @Column('date', { nullable: true })
  day!: string | null;

  @Column('integer')
  created!: number;
}

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
