import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What lists need: keys of cursors, times of change to the millisecond and in order, text in one case. */
export class ListTasks1795219200002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE workspaces
        ADD cursor_key bytea NOT NULL DEFAULT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
      -- As exact as an instant can be written in a filter.
      ALTER TABLE tasks ALTER created_at TYPE timestamptz(3), ALTER updated_at TYPE timestamptz(3);
      CREATE INDEX tasks_updated ON tasks (workspace_id, workflow_id, updated_at, id);
    `);
    await createFunctions(db, 'fold_case');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP FUNCTION fold_case;
      DROP INDEX tasks_updated;
      ALTER TABLE tasks ALTER created_at TYPE timestamptz, ALTER updated_at TYPE timestamptz;
      ALTER TABLE workspaces DROP cursor_key;
    `);
  }
}
