import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

/** Statements that enter and end many executions record their events themselves. */
export class RecordExecutionsAtOnce1795440000040 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_execution');
  }

  down(): Promise<void> {
    // The function serves versions before this one as well.
    return Promise.resolve();
  }
}
