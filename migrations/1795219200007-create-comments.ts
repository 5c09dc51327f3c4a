import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Comments on tasks. */
export class CreateComments1795219200007 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE comments (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY,
        author_id text COLLATE "C",
        body text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        -- Maps the lower-case address of each mentioned user to the user's id.
        mentions jsonb,
        said_by text,
        PRIMARY KEY (workspace_id, workflow_id, task_id, id),
        FOREIGN KEY (workspace_id, author_id) REFERENCES users (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE comments;
    `);
  }
}
