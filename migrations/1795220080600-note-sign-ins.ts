import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** When a user signed in last, which no session tells once it has ended. */
export class NoteSignIns1795220080600 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users ADD COLUMN last_signed_in_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE users DROP COLUMN last_signed_in_at');
  }
}
