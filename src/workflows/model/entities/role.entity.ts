import { type FurtherSettings } from '../../../common/database/json-columns.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkflow } from './listed.js';
import { type roleEdits, type roleMoves, type roleSights } from '../../../common/column-values.js';

@Entity('roles')
export class RoleEntity extends ListedInWorkflow {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  @Column('boolean')
  isAdmin!: boolean;

  /** The ids of the actions that the role may perform. */
  @Column('text', { array: true })
  actions!: string[];

  @Column('text')
  sees!: (typeof roleSights)[number];

  @Column('text')
  edits!: (typeof roleEdits)[number];

  @Column('boolean')
  creates!: boolean;

  @Column('text')
  moves!: (typeof roleMoves)[number];

  @Column('boolean')
  deletes!: boolean;

  @Column('json')
  settings!: FurtherSettings;
}
