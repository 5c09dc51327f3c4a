import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A checklist item that every new task of the workflow gets. */
@Entity('checklist_template_items')
export class ChecklistTemplateItemEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  @Column('text')
  title!: string;

  @Column('integer')
  stageId!: number;

  @Column('integer')
  position!: number;
}
