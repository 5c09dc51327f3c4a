import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

/** A statement that writes many tasks records their events itself. */
export class RecordManyAtOnce1795440000025 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'records_itself', 'same_keys');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION records_itself, same_keys');
  }
}
