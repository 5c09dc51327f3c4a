import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkflow } from './listed.js';
import { type FieldSettings } from '../../../common/database/json-columns.js';

@Entity('fields')
export class FieldEntity extends ListedInWorkflow {
  /** The key of the field in `tasks.field_values`, unique across workflows. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  type!: string;

  @Column('boolean')
  required!: boolean;

  @Column('boolean')
  editable!: boolean;

  /** The settings that have no column, such as the default and the settings of the type. */
  @Column('json')
  settings!: FieldSettings;

  /** Former options that tasks may still have; maintained by the database. */
  @Column({ type: 'text', array: true, insert: false, update: false })
  formerOptions!: string[];
}
