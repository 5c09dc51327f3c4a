import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An item of a task's checklist. */
@Entity('checklist_items')
export class ChecklistItemEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Random, so that it reveals nothing. */
  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('bigint')
  taskId!: string;

  /** Ascends in the order of creation. */
  @Column('bigint', { generated: 'identity' })
  place!: string;

  @Column('text')
  title!: string;

  @Column('integer')
  stageId!: number;

  @Column('text')
  status!: 'Blank' | 'Skipped' | 'Completed';

  @Column('text', { nullable: true })
  assigneeId!: string | null;

  /** False for items from the workflow's template. */
  @Column('boolean')
  isEditable!: boolean;
}
