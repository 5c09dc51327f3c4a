import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

// One command at a time, since tables can be spread already.
const made = [
  `
    CREATE TABLE channels (
      workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      position integer NOT NULL,
      type text NOT NULL,
      url text NOT NULL,
      PRIMARY KEY (workspace_id, id)
    )`,
  `
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
      PRIMARY KEY (workspace_id, place),
      CONSTRAINT messages_end CHECK ((state = 'queued') = (finished_at IS NULL)),
      CONSTRAINT messages_next CHECK ((state = 'queued') = (next_at IS NOT NULL))
    )`,
  `CREATE UNIQUE INDEX messages_id ON messages (workspace_id, id)`,
  `CREATE UNIQUE INDEX messages_of_step ON messages (workspace_id, execution_id, step, recipient)`,
  `CREATE INDEX messages_due ON messages (workspace_id, next_at) WHERE state = 'queued'`,
  `CREATE INDEX messages_list ON messages (workspace_id, state, place)`,
  `CREATE INDEX messages_finished ON messages (finished_at) WHERE state <> 'queued'`,
  `
    CREATE TRIGGER record_message AFTER UPDATE OF state ON messages
      FOR EACH ROW WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION record_message()`,
];

const dropped = ['DROP TABLE messages', 'DROP TABLE channels', 'DROP FUNCTION record_message()'];

/** Messages that executions leave to be sent, and the channels of teams. */
export class CreateMessages1795440000050 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_message');
    for (const command of made) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const command of dropped) await db.query(command);
  }
}
