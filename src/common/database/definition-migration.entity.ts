import { Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from './in-workspace.js';

/** A migration that applied a definition to a workspace. */
@Entity('definition_migrations')
export class DefinitionMigrationEntity extends InWorkspace {
  /** The name of the migration, as in TypeORM's table. */
  @PrimaryColumn('text')
  migration!: string;
}
