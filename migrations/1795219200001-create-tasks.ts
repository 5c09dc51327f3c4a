import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Tasks, and the check that no write uses an old definition. */
export class CreateTasks1795219200001 implements MigrationInterface {
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
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, workflow_id, id),
        CONSTRAINT tasks_unique_value UNIQUE (workspace_id, workflow_id, unique_value),
        FOREIGN KEY (workspace_id, workflow_id, stage_id) REFERENCES stages,
        FOREIGN KEY (workspace_id, assignee_id) REFERENCES users
      );
      -- Uncompressed, so that the size of what a list reads is known before it is read.
      ALTER TABLE tasks ALTER field_values SET STORAGE EXTERNAL;
      CREATE INDEX tasks_stage ON tasks (workspace_id, workflow_id, stage_id, id);
      CREATE INDEX tasks_assignee ON tasks (workspace_id, workflow_id, assignee_id, id);
      CREATE INDEX tasks_active ON tasks (workspace_id, workflow_id, id) WHERE is_active;
      CREATE INDEX tasks_field_values ON tasks USING gin (field_values jsonb_path_ops)
        WITH (gin_pending_list_limit = 64);

      CREATE TABLE unique_id_counters (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        last numeric NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'DROP FUNCTION IF EXISTS assert_definition(integer, integer, integer); DROP TABLE unique_id_counters, tasks',
    );
  }
}
