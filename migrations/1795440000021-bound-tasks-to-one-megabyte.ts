import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

/**
 * A trigger, since a constraint does not see the values that an update replaces. A byte of values is six of JSON at most, so of
 * nearly all tasks the JSON need not be made.
 */
export class BoundTasksToOneMegabyte1795440000021 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'bound_task');
    await db.query('ALTER TABLE tasks DROP CONSTRAINT tasks_size');
    await db.query(`
      CREATE TRIGGER bound_task BEFORE INSERT OR UPDATE OF field_values ON tasks
        FOR EACH ROW WHEN (pg_column_size(NEW.field_values) > 150000) EXECUTE FUNCTION bound_task();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TRIGGER bound_task ON tasks');
    await db.query('DROP FUNCTION bound_task');
    await db.query(`
      ALTER TABLE tasks ADD CONSTRAINT tasks_size CHECK (
        pg_column_size(field_values) <= 10000000 OR octet_length(field_values::text) <= 67108864
      ) NOT VALID;
    `);
  }
}
