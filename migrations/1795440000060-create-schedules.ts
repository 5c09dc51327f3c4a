import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

const tables = [
  `ALTER TABLE workspaces ADD COLUMN settings json NOT NULL DEFAULT '{}'`,
  `CREATE TABLE schedule_states (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     workflow_id integer NOT NULL,
     schedule_id text COLLATE "C" NOT NULL,
     timetable text NOT NULL,
     zone_data text NOT NULL,
     applied_at timestamptz(3) NOT NULL DEFAULT service_now(),
     -- Firings up to here are done with.
     counted_from timestamptz(3) NOT NULL DEFAULT service_now(),
     next_at timestamptz(3),
     is_paused boolean NOT NULL DEFAULT false,
     asked_at timestamptz(3),
     -- What fires, and the task up to which its action was started.
     firing json,
     after_task_id bigint,
     last_nominal text,
     last_at timestamptz(3),
     last_result text COLLATE "C",
     fence integer NOT NULL DEFAULT 0,
     lease_until timestamptz,
     PRIMARY KEY (workspace_id, workflow_id, schedule_id),
     FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
   )`,
  `CREATE INDEX schedule_states_due ON schedule_states (next_at)`,
  `CREATE INDEX schedule_states_open ON schedule_states (workspace_id)
     WHERE asked_at IS NOT NULL OR firing IS NOT NULL`,
  `CREATE TABLE timers (
     workspace_id integer NOT NULL,
     id text COLLATE "C" NOT NULL DEFAULT random_id(),
     workflow_id integer NOT NULL,
     task_id bigint NOT NULL,
     action_id text COLLATE "C" NOT NULL,
     at timestamptz(3) NOT NULL,
     performer_id text COLLATE "C",
     is_cancelled_by_stage boolean NOT NULL DEFAULT false,
     -- The transaction that has made it.
     tx bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
     created_at timestamptz(3) NOT NULL DEFAULT service_now(),
     fence integer NOT NULL DEFAULT 0,
     lease_until timestamptz,
     PRIMARY KEY (workspace_id, id),
     FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks ON DELETE CASCADE,
     FOREIGN KEY (workspace_id, performer_id) REFERENCES users
   )`,
  `CREATE INDEX timers_of_task ON timers (workspace_id, workflow_id, task_id)`,
  `CREATE INDEX timers_due ON timers (at)`,
  `-- The local time, with its offset, that a schedule fired for.
   ALTER TABLE runs ADD COLUMN nominal text COLLATE "C"`,
  `CREATE UNIQUE INDEX runs_nominal ON runs (workspace_id, workflow_id, kind, starter_id, nominal, task_id)
     NULLS NOT DISTINCT WHERE nominal IS NOT NULL`,
];

/** Schedules, timers, and the calendars of a workspace. */
export class CreateSchedules1795440000060 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'service_now');
    // A table may be spread over several machines already: these take one command at a time.
    for (const command of tables) await db.query(command);
    await createFunctions(db, 'cancel_timers');
    await db.query(`
      CREATE TRIGGER cancel_timers AFTER UPDATE ON tasks
        FOR EACH ROW WHEN (OLD.stage_id <> NEW.stage_id) EXECUTE FUNCTION cancel_timers()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TRIGGER cancel_timers ON tasks');
    for (const command of [
      'DROP FUNCTION cancel_timers',
      'DROP INDEX runs_nominal',
      'ALTER TABLE runs DROP COLUMN nominal',
      'DROP TABLE timers',
      'DROP TABLE schedule_states',
      'DROP FUNCTION service_now',
      'ALTER TABLE workspaces DROP COLUMN settings',
    ])
      await db.query(command);
  }
}
