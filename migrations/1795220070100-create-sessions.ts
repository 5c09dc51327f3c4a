import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Who is signed in to the console, and the links that sign in. Both go with their user. */
export class CreateSessions1795220070100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sessions (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        browser text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, hash),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE
      );
      CREATE INDEX sessions_user ON sessions (workspace_id, user_id);

      CREATE TABLE sign_in_links (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (workspace_id, hash),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE
      );
      CREATE INDEX sign_in_links_user ON sign_in_links (workspace_id, user_id);
    `);
    await createFunctions(db, 'end_sessions');
    await db.query(`
      CREATE TRIGGER end_sessions AFTER UPDATE OF active ON users
        FOR EACH ROW WHEN (OLD.active AND NOT NEW.active) EXECUTE FUNCTION end_sessions();

      -- The page of a task is found by what its Task URL says. By hash, as an index that begins with workspace and workflow
      -- tempts the planner, as long as it takes the table for small, to look for tasks by these two alone.
      CREATE INDEX tasks_public_id ON tasks USING hash (public_id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP INDEX tasks_public_id;
      DROP TRIGGER end_sessions ON users;
      DROP FUNCTION end_sessions;
      DROP TABLE sign_in_links;
      DROP TABLE sessions`);
  }
}
