import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type FurtherSettings, type RequirementsColumn } from './json-columns.js';

@Entity('actions')
export class ActionEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** The id that people chose. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  /** Names of the stages in which it is available. */
  @Column('text', { array: true })
  stages!: string[];

  @Column('json')
  requirements!: RequirementsColumn;

  @Column('json')
  steps!: unknown[];

  /** What else the definition says. */
  @Column('json')
  settings!: FurtherSettings;

  @Column('integer')
  position!: number;
}
