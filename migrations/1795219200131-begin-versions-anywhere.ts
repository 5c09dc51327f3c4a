import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A task that is made anew under the Unique ID of a deleted one does not repeat its versions. */
export class BeginVersionsAnywhere1795219200131 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // By two statements, so that no row is rewritten: tasks that are there already go on as they counted.
    await db.query(`
      ALTER TABLE tasks ADD COLUMN version_offset bigint NOT NULL DEFAULT 0;
      ALTER TABLE tasks ALTER version_offset SET DEFAULT floor(random() * 4503599627370496)::bigint;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tasks DROP COLUMN version_offset');
  }
}
