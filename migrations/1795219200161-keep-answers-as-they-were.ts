import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Repeated requests get the first answer to the letter: `jsonb` would put its keys in an order of its own. */
export class KeepAnswersAsTheyWere1795219200161 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE idempotency_keys ALTER COLUMN answer TYPE json');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE idempotency_keys ALTER COLUMN answer TYPE jsonb');
  }
}
