import { type FurtherSettings } from '../../../common/database/json-columns.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkflow } from './listed.js';
import { type StageOutcome, type WayIntoStage } from '../../fields/task-schema.js';

@Entity('stages')
export class StageEntity extends ListedInWorkflow {
  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  @Column('text')
  name!: string;

  @Column('boolean')
  isInitial!: boolean;

  @Column('boolean')
  isEnd!: boolean;

  @Column('text')
  outcome!: StageOutcome;

  @Column('text')
  enter!: WayIntoStage;

  @Column('json')
  settings!: FurtherSettings;
}

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
