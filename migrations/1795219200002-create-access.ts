import { createFunctions } from '../src/common/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** API keys, sessions and sign-in links. */
export class CreateAccess1795219200002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE api_keys (
        workspace_id integer NOT NULL REFERENCES workspaces,
        id text COLLATE "C" NOT NULL,
        hash bytea NOT NULL,
        name text NOT NULL,
        scope text NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        last_used_on date,
        revoked_at timestamptz,
        user_id text,
        narrowing jsonb,
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT api_keys_hash UNIQUE (hash)
      );

      CREATE TABLE sessions (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        browser text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, hash),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX sessions_user ON sessions (workspace_id, user_id);

      CREATE TABLE sign_in_links (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (workspace_id, hash),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX sign_in_links_user ON sign_in_links (workspace_id, user_id);

      CREATE UNLOGGED TABLE sign_in_failures (
        key text NOT NULL,
        points integer NOT NULL,
        expire bigint NOT NULL,
        PRIMARY KEY (key)
      );
    `);
    await createFunctions(db, 'access');
    await db.query(`
      CREATE TRIGGER end_sessions AFTER UPDATE OF active ON users
        FOR EACH ROW WHEN (OLD.active <> NEW.active)
        EXECUTE FUNCTION end_sessions();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER end_sessions ON users;
      DROP FUNCTION IF EXISTS end_sessions;
      DROP TABLE sign_in_failures, sign_in_links, sessions, api_keys;
    `);
  }
}
