import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Every definition that was ever in force: who applied it, when, and what it changed. */
export class KeepDefinitionVersions1795219200009 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE definition_versions (
        workspace_id integer NOT NULL REFERENCES workspaces,
        version integer NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        applied_by text NOT NULL,
        changes json NOT NULL,
        definition json NOT NULL,
        PRIMARY KEY (workspace_id, version)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE definition_versions');
  }
}
