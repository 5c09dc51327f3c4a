import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user who changed a part of a task, and when they last did. The part `+` is the creation. */
@Entity('task_editors')
export class TaskEditorEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** A field, a side of a relationship or another part, by its name in `changed_parts`. */
  @PrimaryColumn('text')
  part!: string;

  /** Empty if the task was not created by a user. */
  @PrimaryColumn('text')
  userId!: string;

  @Column('timestamptz')
  editedAt!: Date;
}
