import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Who speaks to the browser, or types by chance, does without keys that do something alone. */
export class LetPeopleSwitchShortcutsOff1795220090100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users ADD COLUMN shortcuts boolean NOT NULL DEFAULT true');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users DROP COLUMN shortcuts');
  }
}
