import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who has changed a part of a task, and when last; the part `+` is its creation. */
@Entity('task_editors')
export class TaskEditorEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** A field, a side of a relationship or another part, as `changed_parts` calls it. */
  @PrimaryColumn('text')
  part!: string;

  /** Empty where no user has created the task. */
  @PrimaryColumn('text')
  userId!: string;

  @Column('timestamptz')
  editedAt!: Date;
}
