import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type DefinitionRows } from './json-columns.js';

/** What a migration that applied a definition found and left, row by row. */
@Entity('definition_migrations')
export class DefinitionMigrationEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** The migration's name, as in TypeORM's table. */
  @PrimaryColumn('text')
  migration!: string;

  @Column('json')
  found!: DefinitionRows;

  @Column('json')
  leftBehind!: DefinitionRows;
}
