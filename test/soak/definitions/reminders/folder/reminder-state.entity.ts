import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a reminder falls due. */
@Entity('reminder_states')
export class ReminderStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  reminderId!: string;

  @Column('integer')
  everyDays!: number;

  @Column('timestamptz')
  dueAt!: Date;

  @Column('integer')
  fired!: number;
}
