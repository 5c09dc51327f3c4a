import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The answers that a request repeated under its Idempotency-Key gets again. */
export class CreateIdempotencyKeys1795219200003 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE idempotency_keys (
        workspace_id integer NOT NULL REFERENCES workspaces,
        key text COLLATE "C" NOT NULL,
        fingerprint bytea NOT NULL,
        -- NULL only within the transaction that finds the answer.
        answer jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, key)
      );
      CREATE INDEX idempotency_keys_age ON idempotency_keys (workspace_id, created_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE idempotency_keys');
  }
}
