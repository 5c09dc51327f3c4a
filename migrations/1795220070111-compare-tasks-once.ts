import { type MigrationInterface } from 'typeorm';

/** Replaced record_task(), whose text now stands in src/database/functions/. The name stays, for databases that ran it. */
export class CompareTasksOnce1795220070111 implements MigrationInterface {
  async up(): Promise<void> {
    // `migrate` makes the function as its file says.
  }

  async down(): Promise<void> {
    // The earlier text is kept nowhere.
  }
}
