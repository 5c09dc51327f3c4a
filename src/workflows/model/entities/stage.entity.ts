import { type FurtherSettings } from '../../../common/database/json-columns.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type StageOutcome, type WayIntoStage } from '../../fields/task-schema.js';

@Entity('stages')
export class StageEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

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

  @Column('integer')
  position!: number;
}
