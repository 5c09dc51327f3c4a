import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What each migration that applies a definition found and left, so that it can be undone. */
export class KeepWhatMigrationsFound1795219200090 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE definition_migrations (
        workspace_id integer NOT NULL REFERENCES workspaces,
        migration text COLLATE "C" NOT NULL,
        found json NOT NULL,
        left_behind json NOT NULL,
        PRIMARY KEY (workspace_id, migration)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE definition_migrations');
  }
}
