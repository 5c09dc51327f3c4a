import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Webhooks, what is sent to them, and keys that may administer them. */
export class CreateWebhooks1795220050100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE api_keys DROP CONSTRAINT api_keys_scope_check,
        ADD CONSTRAINT api_keys_scope_check CHECK (scope IN ('read', 'write', 'admin'));

      -- Two random UUIDs are 244 random bits.
      CREATE TABLE webhooks (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        managed_by text NOT NULL CHECK (managed_by IN ('api', 'definition')),
        position integer NOT NULL,
        url text NOT NULL,
        origin text COLLATE "C" NOT NULL,
        events text[] NOT NULL,
        workflows text[],
        fields text[],
        condition text,
        content text NOT NULL CHECK (content IN ('changes', 'task')),
        headers json NOT NULL DEFAULT '{}',
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'disabled')),
        failing_since timestamptz(3),
        feed_position bigint NOT NULL DEFAULT 0,
        begins_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        secret bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
        former_secret bytea,
        former_secret_until timestamptz(3),
        PRIMARY KEY (workspace_id, id)
      );
      CREATE INDEX webhooks_origin ON webhooks (workspace_id, origin);

      CREATE TABLE webhook_receivers (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        origin text COLLATE "C" NOT NULL,
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        PRIMARY KEY (workspace_id, origin)
      );

      CREATE TABLE webhook_deliveries (
        workspace_id integer NOT NULL,
        place bigint GENERATED ALWAYS AS IDENTITY,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        webhook_id text COLLATE "C" NOT NULL,
        event_id uuid NOT NULL,
        event_place bigint,
        type text COLLATE "C" NOT NULL,
        task_id bigint,
        is_single boolean NOT NULL DEFAULT false,
        state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
        tries integer NOT NULL DEFAULT 0,
        status integer,
        cause text,
        took_ms integer,
        next_at timestamptz(3) DEFAULT clock_timestamp(),
        failed_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        finished_at timestamptz(3),
        PRIMARY KEY (workspace_id, place),
        FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE,
        CONSTRAINT webhook_deliveries_end CHECK ((state = 'pending') = (finished_at IS NULL))
      );
      CREATE UNIQUE INDEX webhook_deliveries_id ON webhook_deliveries (workspace_id, id);
      CREATE INDEX webhook_deliveries_list ON webhook_deliveries (workspace_id, webhook_id, place);
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, webhook_id, next_at)
        WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_order ON webhook_deliveries (workspace_id, webhook_id, task_id, place)
        WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (workspace_id, webhook_id, place)
        WHERE state = 'failed';
      CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE state <> 'pending';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    // Keys of a scope that is not known any more may read, and nothing else.
    await db.query(`
      DROP TABLE webhook_deliveries, webhook_receivers, webhooks;
      UPDATE api_keys SET scope = 'read' WHERE scope = 'admin';
      ALTER TABLE api_keys DROP CONSTRAINT api_keys_scope_check,
        ADD CONSTRAINT api_keys_scope_check CHECK (scope IN ('read', 'write'));
    `);
  }
}
