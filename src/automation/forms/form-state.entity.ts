import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The state of a form besides its definition. */
@Entity('form_states')
export class FormStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  formId!: string;

  /** The ends of its addresses, newest last. They are published, and the administrator reads them again, so they are no hashes. */
  @Column('text', { array: true })
  tokens!: string[];

  /** The day of the workspace on which it created a task last, and how many on that day. */
  @Column('date', { nullable: true })
  day!: string | null;

  @Column('integer')
  created!: number;
}
