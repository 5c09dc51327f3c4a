import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow } from '../../common/database/in-workspace.js';

@Entity('checklist_items')
export class ChecklistItemEntity extends InWorkflow {
  @PrimaryColumn('bigint')
  taskId!: string;

  /** Grows in the order of creation. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  /** Random, so that the id does not reveal the number of items. */
  @Column('text')
  id!: string;

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
