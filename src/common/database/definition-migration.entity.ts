import { Entity, PrimaryColumn } from 'typeorm';

/** A migration that applied a definition to a workspace. */
@Entity('definition_migrations')
export class DefinitionMigrationEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** The name of the migration, as in TypeORM's table. */
  @PrimaryColumn('text')
  migration!: string;
}
