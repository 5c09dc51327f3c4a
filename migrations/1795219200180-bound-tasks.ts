import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A task that is longer than JavaScript's longest text could never be read again. What was stored before is not looked at
 * until it is written. A byte of values is six of JSON at most, so of nearly all tasks the JSON need not be made.
 */
export class BoundTasks1795219200180 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE tasks ADD CONSTRAINT tasks_size CHECK (
        pg_column_size(field_values) <= 10000000 OR octet_length(field_values::text) <= 67108864
      ) NOT VALID;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tasks DROP CONSTRAINT tasks_size');
  }
}
