import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The comments of tasks. */
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
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace_id, workflow_id, task_id, id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks ON DELETE CASCADE,
        FOREIGN KEY (workspace_id, author_id) REFERENCES users
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE comments');
  }
}
