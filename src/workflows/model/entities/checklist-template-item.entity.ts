import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkflow } from './listed.js';

/** A checklist item that every new task of the workflow gets. */
@Entity('checklist_template_items')
export class ChecklistTemplateItemEntity extends ListedInWorkflow {
  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  @Column('text')
  title!: string;

  @Column('integer')
  stageId!: number;
}
