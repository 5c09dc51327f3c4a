import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

const commands = [
  // Without a default for rows that are there already: none of them is written anew.
  'ALTER TABLE tasks ADD COLUMN stage_at timestamptz(3), ADD COLUMN stage_version integer, ADD COLUMN due_at timestamptz(3)',
  'ALTER TABLE tasks ALTER COLUMN stage_at SET DEFAULT clock_timestamp(), ALTER COLUMN stage_version SET DEFAULT 1',
  `CREATE TRIGGER note_stage BEFORE UPDATE OF stage_id ON tasks
   FOR EACH ROW WHEN (OLD.stage_id <> NEW.stage_id) EXECUTE FUNCTION note_stage()`,
  // With those that are not due, which stand last in a list that is sorted by it.
  'CREATE INDEX tasks_due ON tasks (workspace_id, workflow_id, due_at, id)',
  `CREATE TABLE clocks (
     workspace_id integer NOT NULL,
     workflow_id integer NOT NULL,
     task_id bigint NOT NULL,
     clock_id text COLLATE "C" NOT NULL,
     state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'paused', 'met', 'breached', 'cancelled')),
     row json NOT NULL,
     event_place bigint NOT NULL,
     due_at timestamptz(3),
     next_at timestamptz(3),
     PRIMARY KEY (workspace_id, task_id, clock_id),
     FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks ON DELETE CASCADE
   )`,
  'CREATE INDEX clocks_next ON clocks (next_at) WHERE next_at IS NOT NULL',
  `CREATE INDEX clocks_running ON clocks (workspace_id, workflow_id, clock_id, task_id) WHERE state IN ('running', 'paused')`,
  `CREATE TABLE clock_changes (
     workspace_id integer NOT NULL,
     workflow_id integer NOT NULL,
     version integer NOT NULL,
     after_task_id bigint NOT NULL DEFAULT 0,
     fires_overdue boolean NOT NULL DEFAULT false,
     changed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (workspace_id, workflow_id),
     FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
   )`,
];

/** Deadlines of tasks: since when they are in their stage, their clocks, and when the first of these is due. */
export class KeepClocks1795440000031 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'service_now', 'note_stage');
    for (const command of commands) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE clock_changes');
    await db.query('DROP TABLE clocks');
    await db.query('DROP TRIGGER note_stage ON tasks');
    await db.query('DROP FUNCTION note_stage');
    await db.query('ALTER TABLE tasks DROP COLUMN stage_at, DROP COLUMN stage_version, DROP COLUMN due_at');
  }
}
