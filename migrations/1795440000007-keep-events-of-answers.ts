import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A repeated request names the event that the first one made. Answers that were kept before this name none. */
export class KeepEventsOfAnswers1795440000007 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE idempotency_keys ADD COLUMN last_event uuid');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE idempotency_keys DROP COLUMN last_event');
  }
}
