import { createFunctions } from '../src/common/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Tasks, the counters of Unique IDs, idempotency keys, and the indexes of fields and texts. */
export class CreateTasks1795219200003 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE tasks (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY,
        public_id text COLLATE "C" NOT NULL,
        unique_value text COLLATE "C",
        stage_id integer NOT NULL,
        is_active boolean NOT NULL,
        assignee_id text COLLATE "C",
        field_values jsonb NOT NULL,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT service_now(now()),
        updated_at timestamptz(3) NOT NULL DEFAULT service_now(now()),
        version_offset bigint NOT NULL DEFAULT (floor((random() * ('4503599627370496'::bigint)::double precision)))::bigint,
        stage_at timestamptz(3) DEFAULT service_now(clock_timestamp()),
        stage_version integer DEFAULT 1,
        due_at timestamptz(3),
        PRIMARY KEY (workspace_id, workflow_id, id),
        CONSTRAINT tasks_unique_value UNIQUE (workspace_id, workflow_id, unique_value),
        FOREIGN KEY (workspace_id, assignee_id) REFERENCES users (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id, stage_id) REFERENCES stages (workspace_id, workflow_id, id)
      );
      CREATE INDEX tasks_active ON tasks (workspace_id, workflow_id, id) WHERE is_active;
      CREATE INDEX tasks_assignee ON tasks (workspace_id, workflow_id, assignee_id, id);
      -- Includes tasks without a deadline, because lists that are sorted by deadline show these tasks last.
      CREATE INDEX tasks_due ON tasks (workspace_id, workflow_id, due_at, id);
      CREATE INDEX tasks_field_values
        ON tasks USING gin (field_values jsonb_path_ops) WITH (gin_pending_list_limit = 64);
      -- Finds the task of a Task URL. If this index began with workspace_id and workflow_id, PostgreSQL would use only
      -- these two columns while it assumes that the table is small.
      CREATE INDEX tasks_public_id ON tasks USING hash (public_id);
      CREATE INDEX tasks_stage ON tasks (workspace_id, workflow_id, stage_id, id);
      CREATE INDEX tasks_updated ON tasks (workspace_id, workflow_id, updated_at, id);
      -- Stored without compression, so that a list knows the size of values before it reads the values.
      ALTER TABLE tasks ALTER field_values SET STORAGE EXTERNAL;

      CREATE TABLE unique_id_counters (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        last numeric NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id)
      );

      CREATE TABLE idempotency_keys (
        workspace_id integer NOT NULL REFERENCES workspaces,
        key text COLLATE "C" NOT NULL,
        fingerprint bytea NOT NULL,
        -- NULL only within the transaction that computes the answer.
        answer json,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, key)
      );
      CREATE INDEX idempotency_keys_age ON idempotency_keys (workspace_id, created_at);

      -- Each row is an index of one field, or of all texts of a workflow (kind 'words'). The entries of all indexes are in
      -- shared tables, because thousands of partial indexes would slow down the planner. A list of tasks uses an index
      -- only after the index is filled.
      CREATE TABLE field_indexes (
        workspace_id integer NOT NULL REFERENCES workspaces,
        workflow_id integer NOT NULL,
        field_id text COLLATE "C" NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        kind text NOT NULL,
        -- The index is complete for the tasks up to this id.
        filled_to bigint NOT NULL DEFAULT 0,
        is_filled boolean NOT NULL DEFAULT false,
        text_fields text[],
        PRIMARY KEY (workspace_id, workflow_id, field_id),
        CONSTRAINT field_indexes_id UNIQUE (workspace_id, id),
        CONSTRAINT field_indexes_words CHECK ((kind = 'words') = ((text_fields IS NOT NULL) AND (field_id = '')))
      );

      CREATE TABLE task_sort_keys (
        workspace_id integer NOT NULL,
        index_id integer NOT NULL,
        sort_key text COLLATE "C" NOT NULL,
        task_id bigint NOT NULL,
        PRIMARY KEY (workspace_id, index_id, sort_key, task_id)
      );

      CREATE TABLE task_words (
        workspace_id integer NOT NULL,
        index_id integer NOT NULL,
        task_id bigint NOT NULL,
        words tsvector NOT NULL,
        PRIMARY KEY (workspace_id, index_id, task_id)
      );
      -- New words first enter a pending list. Each search reads that list, so the list is kept short.
      CREATE INDEX task_words_words ON task_words USING gin (words) WITH (gin_pending_list_limit = 64);
    `);
    await createFunctions(db, 'tasks', 'words');
    await db.query(`
      CREATE TRIGGER bound_task BEFORE INSERT OR UPDATE OF field_values ON tasks
        FOR EACH ROW WHEN (pg_column_size(NEW.field_values) > 150000)
        EXECUTE FUNCTION bound_task();
      CREATE TRIGGER keep_indexes AFTER INSERT OR DELETE ON tasks
        FOR EACH ROW EXECUTE FUNCTION keep_indexes();
      CREATE TRIGGER keep_indexes_of_changed AFTER UPDATE OF field_values, unique_value ON tasks
        FOR EACH ROW WHEN ((OLD.field_values, OLD.unique_value)
          IS DISTINCT FROM (NEW.field_values, NEW.unique_value))
        EXECUTE FUNCTION keep_indexes();
      CREATE TRIGGER note_stage BEFORE UPDATE OF stage_id ON tasks
        FOR EACH ROW WHEN (OLD.stage_id <> NEW.stage_id)
        EXECUTE FUNCTION note_stage();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE task_words, task_sort_keys, field_indexes, idempotency_keys, unique_id_counters, tasks;
      DROP FUNCTION IF EXISTS cancel_timers, keep_indexes, note_stage, bound_task, tasks_with_words, scoped_words,
        words_query, words_of, sort_key_of;
    `);
  }
}
