import { type MigrationInterface, type QueryRunner } from 'typeorm';

const tables = ['stages', 'actions', 'roles'];

/** What a definition says of a stage, an action or a role that has no column of its own, as `fields` have it. */
export class KeepFurtherSettings1795440000024 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    for (const table of tables)
      await db.query(`ALTER TABLE ${table} ADD COLUMN settings json NOT NULL DEFAULT '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of tables) await db.query(`ALTER TABLE ${table} DROP COLUMN settings`);
  }
}
