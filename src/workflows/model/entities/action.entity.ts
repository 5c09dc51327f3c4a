import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkflow } from './listed.js';
import { type FurtherSettings, type RequirementsColumn } from '../../../common/database/json-columns.js';

@Entity('actions')
export class ActionEntity extends ListedInWorkflow {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  /** The names of the stages in which it is available. */
  @Column('text', { array: true })
  stages!: string[];

  @Column('json')
  requirements!: RequirementsColumn;

  @Column('json')
  steps!: unknown[];

  @Column('json')
  settings!: FurtherSettings;
}
