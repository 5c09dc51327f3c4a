import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The mail and chat messages that steps and forms send. */
export class CreateMessages1795219200010 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE messages (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        place bigint GENERATED ALWAYS AS IDENTITY,
        id text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('email', 'post')),
        recipient text NOT NULL,
        reply_to text,
        subject text,
        body json NOT NULL,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        unique_value text,
        task_url text NOT NULL,
        execution_id text COLLATE "C" NOT NULL,
        step integer NOT NULL,
        origin text,
        state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
        tries integer NOT NULL DEFAULT 0,
        cause text,
        is_in_doubt boolean NOT NULL DEFAULT false,
        next_at timestamptz(3) DEFAULT clock_timestamp(),
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        finished_at timestamptz(3),
        attachments jsonb,
        PRIMARY KEY (workspace_id, place),
        CONSTRAINT messages_end CHECK ((state = 'queued') = (finished_at IS NULL)),
        CONSTRAINT messages_next CHECK ((state = 'queued') = (next_at IS NOT NULL))
      );
      -- The sweep of blobs uses this index to find the attachments of messages that have not been sent.
      CREATE INDEX messages_attachments
        ON messages USING gin (attachments jsonb_path_ops) WHERE (state <> 'sent') AND (attachments IS NOT NULL);
      CREATE INDEX messages_due ON messages (workspace_id, next_at) WHERE state = 'queued';
      CREATE INDEX messages_finished ON messages (finished_at) WHERE state <> 'queued';
      CREATE UNIQUE INDEX messages_id ON messages (workspace_id, id);
      CREATE INDEX messages_list ON messages (workspace_id, state, place);
      CREATE UNIQUE INDEX messages_of_step ON messages (workspace_id, execution_id, step, recipient);
    `);
    await db.query(`
      CREATE TRIGGER record_message AFTER UPDATE OF state ON messages
        FOR EACH ROW WHEN ((NEW.state = 'failed') AND (OLD.state <> 'failed'))
        EXECUTE FUNCTION record_message();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE messages;
      DROP FUNCTION IF EXISTS record_message;
    `);
  }
}
