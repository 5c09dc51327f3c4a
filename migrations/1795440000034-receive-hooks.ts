import { type MigrationInterface, type QueryRunner } from 'typeorm';

const commands = [
  `ALTER TABLE rule_states ADD COLUMN hook_token text COLLATE "C"`,
  `CREATE INDEX rule_states_hook_token ON rule_states (hook_token) WHERE hook_token IS NOT NULL`,
  `CREATE TABLE received_hooks (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     id bigint GENERATED ALWAYS AS IDENTITY,
     workflow_id integer NOT NULL,
     rule_id text COLLATE "C" NOT NULL,
     webhook_id text COLLATE "C",
     body text NOT NULL,
     received_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (workspace_id, id),
     FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
   )`,
  `CREATE UNIQUE INDEX received_hooks_once ON received_hooks (workspace_id, workflow_id, rule_id, webhook_id)
     WHERE webhook_id IS NOT NULL`,
  `CREATE INDEX received_hooks_received ON received_hooks (received_at)`,
];

/** The tokens of rules on hook, and the bodies that came to them. */
export class ReceiveHooks1795440000034 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A table may be spread over several machines already: these take one command at a time.
    for (const command of commands) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE received_hooks');
    await db.query('ALTER TABLE rule_states DROP COLUMN hook_token');
  }
}
