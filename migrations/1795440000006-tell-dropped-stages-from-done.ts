import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What it means that a task came to an end stage: it was done, as in all that there are, or dropped. */
export class TellDroppedStagesFromDone1795440000006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE stages ADD COLUMN outcome text NOT NULL DEFAULT 'done' CHECK (outcome IN ('done', 'dropped'))
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE stages DROP COLUMN outcome');
  }
}
