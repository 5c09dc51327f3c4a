import { type MigrationInterface, type QueryRunner } from 'typeorm';

const commands = [
  `-- Lists of a definition that have no table of their own.
   ALTER TABLE workflows ADD COLUMN settings json NOT NULL DEFAULT '{}'`,
  `CREATE TABLE followers (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     name text COLLATE "C" NOT NULL,
     position bigint NOT NULL,
     failures integer NOT NULL DEFAULT 0,
     fence integer NOT NULL DEFAULT 0,
     lease_until timestamptz,
     PRIMARY KEY (workspace_id, name)
   )`,
  `CREATE TABLE events_set_aside (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     follower text COLLATE "C" NOT NULL,
     event_place bigint NOT NULL,
     task_id bigint,
     cause text NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (workspace_id, follower, event_place)
   )`,
  `CREATE TABLE rule_states (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     workflow_id integer NOT NULL,
     rule_id text COLLATE "C" NOT NULL,
     begins_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     is_paused boolean NOT NULL DEFAULT false,
     PRIMARY KEY (workspace_id, workflow_id, rule_id),
     FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
   )`,
  `CREATE TABLE runs (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     place bigint GENERATED ALWAYS AS IDENTITY,
     id text COLLATE "C" NOT NULL DEFAULT random_id(),
     kind text COLLATE "C" NOT NULL CHECK (kind IN ('rule', 'clock', 'schedule', 'timer')),
     workflow_id integer NOT NULL,
     starter_id text COLLATE "C" NOT NULL,
     action_id text COLLATE "C",
     event_id uuid,
     task_workflow_id integer,
     task_id bigint,
     public_id text COLLATE "C",
     unique_value text COLLATE "C",
     result text COLLATE "C" NOT NULL CHECK (result IN
       ('waiting', 'started', 'unavailable', 'loop', 'throttled', 'silenced', 'failed', 'skipped', 'missed')),
     because text,
     cause json,
     is_caused boolean NOT NULL DEFAULT false,
     execution_id text COLLATE "C",
     created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     started_at timestamptz(3),
     PRIMARY KEY (workspace_id, place)
   )`,
  `CREATE UNIQUE INDEX runs_id ON runs (workspace_id, id)`,
  `CREATE UNIQUE INDEX runs_once ON runs (workspace_id, workflow_id, kind, starter_id, event_id, task_id)`,
  `CREATE INDEX runs_of_starter ON runs (workspace_id, workflow_id, kind, starter_id, place)`,
  `CREATE INDEX runs_of_task ON runs (workspace_id, task_id, place)`,
  `CREATE INDEX runs_of_execution ON runs (workspace_id, execution_id) WHERE execution_id IS NOT NULL`,
  `CREATE INDEX runs_started ON runs (workspace_id, workflow_id, kind, starter_id, started_at)
     WHERE started_at IS NOT NULL`,
  `CREATE INDEX runs_waiting ON runs (workspace_id, workflow_id, starter_id, place) WHERE result = 'waiting'`,
  `CREATE INDEX runs_created ON runs (created_at)`,
];

/** Followers of the feed, rules, and the runs of what starts actions by itself. */
export class FollowEvents1795440000030 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A table may be spread over several machines already: these take one command at a time.
    for (const command of commands) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['runs', 'rule_states', 'events_set_aside', 'followers'])
      await db.query(`DROP TABLE ${table}`);
    await db.query('ALTER TABLE workflows DROP COLUMN settings');
  }
}
