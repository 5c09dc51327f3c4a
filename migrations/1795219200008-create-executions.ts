import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Executions of actions. There is no foreign key to the task: if the task is deleted, a pending execution fails. */
export class CreateExecutions1795219200008 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE executions (
        workspace_id integer NOT NULL,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        place bigint GENERATED ALWAYS AS IDENTITY,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        action_id text COLLATE "C" NOT NULL,
        action_name text NOT NULL,
        performer_id text COLLATE "C",
        definition integer NOT NULL,
        steps json NOT NULL,
        status text NOT NULL DEFAULT 'Pending' CHECK (status IN ('Pending', 'Success', 'Fail')),
        errors text[],
        answers jsonb NOT NULL DEFAULT '{}',
        outcomes jsonb NOT NULL DEFAULT '[]',
        fence integer NOT NULL DEFAULT 0,
        claims integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz(3),
        finished_at timestamptz(3),
        -- The origin of the start, as in events.
        origin text,
        given jsonb,
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT executions_end CHECK (((status = 'Pending') = (finished_at IS NULL)) AND ((status = 'Fail') = (errors IS NOT NULL))),
        FOREIGN KEY (workspace_id, performer_id) REFERENCES users (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id)
      ) WITH (fillfactor = 70);
      CREATE INDEX executions_failed
        ON executions (workspace_id, workflow_id, place) WHERE status = 'Fail';
      CREATE INDEX executions_finished ON executions (finished_at) WHERE status <> 'Pending';
      CREATE INDEX executions_list ON executions (workspace_id, workflow_id, place);
      CREATE INDEX executions_open ON executions (place) WHERE finished_at IS NULL;
      CREATE INDEX executions_pending
        ON executions (workspace_id, workflow_id, task_id, place) WHERE status = 'Pending';
      CREATE INDEX executions_task ON executions (workspace_id, workflow_id, task_id, place);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE executions;
    `);
  }
}
