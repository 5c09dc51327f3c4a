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
