import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow, InWorkspace } from '../../common/database/in-workspace.js';

/** What the service stores about a form besides its definition. */
@Entity('form_states')
export class FormStateEntity extends InWorkflow {
  @PrimaryColumn('text')
  formId!: string;

  /** The secret token of each of the form's addresses, newest last. Not hashed: administrators see them. */
  @Column('text', { array: true })
  tokens!: string[];

  /** The last day, in the workspace's time zone, on which the form created tasks. */
  @Column('date', { nullable: true })
  day!: string | null;

  /** The number of tasks that the form created on `day`. */
  @Column('integer')
  created!: number;
}

/** A post that probably came from a robot. It is kept for 30 days. */
@Entity('quarantined_posts')
export class QuarantinedPostEntity extends InWorkspace {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  formId!: string;

  /** The sender saw this reference, or the Unique ID that contains it. */
  @Column('text')
  reference!: string;

  /** The values that were sent, as JSON, with the names of files. Emptied when the post is accepted. */
  @Column('text')
  payload!: string;

  /** Maps each file field to its files, as JSON. Lists of posts omit this column, because it may be large. */
  @Column('text', { nullable: true })
  files!: string | null;

  @Column('timestamptz')
  receivedAt!: Date;

  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;
}
