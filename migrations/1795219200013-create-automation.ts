import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The tables of rules, forms, asks, calendar feeds, clocks, schedules, timers, runs and visits to stages. */
export class CreateAutomation1795219200013 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE rule_states (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        workflow_id integer NOT NULL,
        rule_id text COLLATE "C" NOT NULL,
        is_paused boolean NOT NULL DEFAULT false,
        -- Contains 122 random bits.
        hook_token text COLLATE "C" NOT NULL
          DEFAULT rtrim(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '='),
        -- Only events after this place in the log of events trigger the rule.
        begins_behind bigint NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, rule_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX rule_states_hook_token ON rule_states (hook_token);

      CREATE TABLE runs (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        place bigint GENERATED ALWAYS AS IDENTITY,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        kind text COLLATE "C" NOT NULL,
        workflow_id integer NOT NULL,
        starter_id text COLLATE "C" NOT NULL,
        action_id text COLLATE "C",
        event_id uuid,
        task_workflow_id integer,
        task_id bigint,
        public_id text COLLATE "C",
        unique_value text COLLATE "C",
        result text COLLATE "C" NOT NULL CHECK (result IN ('waiting', 'started', 'unavailable', 'loop', 'throttled', 'silenced', 'failed', 'skipped', 'missed')),
        because text,
        cause json,
        is_caused boolean NOT NULL DEFAULT false,
        execution_id text COLLATE "C",
        created_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        started_at timestamptz(3),
        nominal text COLLATE "C",
        given jsonb,
        PRIMARY KEY (workspace_id, place)
      );
      CREATE INDEX runs_created ON runs (created_at);
      CREATE UNIQUE INDEX runs_id ON runs (workspace_id, id);
      CREATE UNIQUE INDEX runs_nominal
        ON runs (workspace_id, workflow_id, kind, starter_id, nominal, task_id) NULLS NOT DISTINCT WHERE nominal IS NOT NULL;
      CREATE INDEX runs_of_execution ON runs (workspace_id, execution_id) WHERE execution_id IS NOT NULL;
      CREATE INDEX runs_of_starter ON runs (workspace_id, workflow_id, kind, starter_id, place);
      CREATE INDEX runs_of_task ON runs (workspace_id, task_id, place);
      CREATE UNIQUE INDEX runs_once
        ON runs (workspace_id, workflow_id, kind, starter_id, event_id, task_id);
      CREATE INDEX runs_started
        ON runs (workspace_id, workflow_id, kind, starter_id, started_at) WHERE started_at IS NOT NULL;
      CREATE INDEX runs_waiting
        ON runs (workspace_id, workflow_id, starter_id, place) WHERE result = 'waiting';

      CREATE TABLE received_hooks (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        id bigint GENERATED ALWAYS AS IDENTITY,
        workflow_id integer NOT NULL,
        rule_id text COLLATE "C" NOT NULL,
        webhook_id text COLLATE "C",
        body text NOT NULL,
        received_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id) ON DELETE CASCADE
      );
      CREATE UNIQUE INDEX received_hooks_once
        ON received_hooks (workspace_id, workflow_id, rule_id, webhook_id) WHERE webhook_id IS NOT NULL;
      CREATE INDEX received_hooks_received ON received_hooks (received_at);

      CREATE TABLE form_states (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        workflow_id integer NOT NULL,
        form_id text COLLATE "C" NOT NULL,
        tokens text[] COLLATE "C" NOT NULL,
        day date,
        created integer NOT NULL DEFAULT 0,
        PRIMARY KEY (workspace_id, workflow_id, form_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX form_states_tokens ON form_states USING gin (tokens);

      CREATE TABLE quarantined_posts (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        id text COLLATE "C" NOT NULL,
        workflow_id integer NOT NULL,
        form_id text COLLATE "C" NOT NULL,
        reference text COLLATE "C" NOT NULL,
        payload text NOT NULL,
        files text,
        received_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        accepted_at timestamptz(3),
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id, form_id)
          REFERENCES form_states (workspace_id, workflow_id, form_id) ON DELETE CASCADE
      );
      CREATE INDEX quarantined_posts_of_form ON quarantined_posts (workspace_id, workflow_id, form_id, received_at);
      CREATE INDEX quarantined_posts_received ON quarantined_posts (received_at);

      CREATE TABLE asks (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        title text NOT NULL,
        action_id text COLLATE "C" NOT NULL,
        recipient text NOT NULL,
        fields jsonb NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (workspace_id, hash),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
      CREATE INDEX asks_expired ON asks (expires_at);
      CREATE INDEX asks_of_task ON asks (workspace_id, workflow_id, task_id);

      CREATE TABLE calendar_feeds (
        workspace_id integer NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        hash bytea NOT NULL,
        PRIMARY KEY (workspace_id, user_id),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX calendar_feeds_hash ON calendar_feeds (workspace_id, hash);

      CREATE TABLE clocks (
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
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
      CREATE INDEX clocks_next ON clocks (next_at) WHERE next_at IS NOT NULL;

      CREATE TABLE clock_changes (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        version integer NOT NULL,
        after_task_id bigint NOT NULL DEFAULT 0,
        changed_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        PRIMARY KEY (workspace_id, workflow_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id) ON DELETE CASCADE
      );

      CREATE TABLE schedule_states (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        workflow_id integer NOT NULL,
        schedule_id text COLLATE "C" NOT NULL,
        timetable text NOT NULL,
        -- Firings up to this time are no longer due.
        counted_from timestamptz(3) NOT NULL,
        -- When the schedule next fires or continues a firing.
        next_at timestamptz(3),
        is_paused boolean NOT NULL DEFAULT false,
        asked_at timestamptz(3),
        -- The unfinished firing, and the last task on which it started the action.
        firing json,
        after_task_id bigint,
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        PRIMARY KEY (workspace_id, workflow_id, schedule_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX schedule_states_due ON schedule_states (next_at);

      CREATE TABLE timers (
        workspace_id integer NOT NULL,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        action_id text COLLATE "C" NOT NULL,
        at timestamptz(3) NOT NULL,
        is_cancelled_by_stage boolean NOT NULL DEFAULT false,
        -- The transaction that set the timer.
        tx bigint NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        given jsonb,
        cause jsonb,
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
      CREATE INDEX timers_due ON timers (at);
      CREATE INDEX timers_of_task ON timers (workspace_id, workflow_id, task_id);

      -- The visits of tasks to stages, computed from events. There are no foreign keys to tasks and stages, because
      -- visits remain after a task or a stage is deleted.
      CREATE TABLE stage_visits (
        workspace_id integer NOT NULL,
        task_id bigint NOT NULL,
        n integer NOT NULL,
        workflow_id integer NOT NULL,
        stage_id integer NOT NULL,
        stage_to integer,
        entered_at timestamptz(3) NOT NULL,
        left_at timestamptz(3),
        began_at timestamptz(3) NOT NULL,
        is_imported boolean NOT NULL,
        PRIMARY KEY (workspace_id, task_id, n)
      );
      -- Includes all columns that figures read, so that PostgreSQL reads only this index.
      CREATE INDEX stage_visits_stage ON stage_visits (workspace_id, workflow_id, stage_id, left_at)
        INCLUDE (task_id, n, stage_to, entered_at, began_at, is_imported);

      -- How many tasks moved from one stage to another on a day in the workspace's time zone. stage_from is 0 for a
      -- created task, and stage_to is 0 for a deleted task.
      CREATE TABLE flow_days (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        workflow_id integer NOT NULL,
        day date NOT NULL,
        stage_from integer NOT NULL,
        stage_to integer NOT NULL,
        is_imported boolean NOT NULL,
        n integer NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, day, stage_from, stage_to, is_imported)
      );

      -- How many tasks left a stage for another stage on a day. If stage_to is 0, the tasks are counted by the
      -- length of their visit; otherwise, by their age. A cell is the number of a range of seconds. The range ends
      -- about 1 % above its start.
      CREATE TABLE length_days (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        stage_id integer NOT NULL,
        stage_to integer NOT NULL,
        day date NOT NULL,
        is_imported boolean NOT NULL,
        cell integer NOT NULL,
        n integer NOT NULL,
        longest double precision NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, stage_id, stage_to, day, is_imported, cell)
      );
    `);
    await db.query(`
      CREATE TRIGGER cancel_timers AFTER UPDATE ON tasks
        FOR EACH ROW WHEN (OLD.stage_id <> NEW.stage_id)
        EXECUTE FUNCTION cancel_timers();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER cancel_timers ON tasks;
      DROP TABLE length_days, flow_days, stage_visits, timers, schedule_states, quarantined_posts, form_states, calendar_feeds, asks, clock_changes, clocks, received_hooks, runs, rule_states;
    `);
  }
}
