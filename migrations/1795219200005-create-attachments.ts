import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The stored files, and the tasks that refer to them. */
export class CreateAttachments1795219200005 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The foreign key prevents the deletion of a task while a blob refers to the task.
      CREATE TABLE blobs (
        workspace_id integer NOT NULL,
        id text COLLATE "C" NOT NULL,
        workflow_id integer,
        task_id bigint,
        filename text,
        content_type text,
        size bigint,
        sha256 bytea,
        unnamed_at timestamptz DEFAULT now(),
        is_doomed boolean NOT NULL DEFAULT false,
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT blobs_named CHECK ( CASE WHEN (unnamed_at IS NULL) THEN ((NOT is_doomed) AND (num_nulls(workflow_id, task_id, filename, content_type, size, sha256) = 0)) ELSE (num_nonnulls(workflow_id, task_id) = 0) END),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id)
      );
      CREATE INDEX blobs_task ON blobs (workspace_id, workflow_id, task_id) WHERE task_id IS NOT NULL;
      CREATE INDEX blobs_unnamed ON blobs (unnamed_at) WHERE unnamed_at IS NOT NULL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE blobs;
    `);
  }
}
