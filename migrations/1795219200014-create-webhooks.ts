import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Webhooks and their deliveries. */
export class CreateWebhooks1795219200014 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE webhooks (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        managed_by text NOT NULL CHECK (managed_by IN ('api', 'definition')),
        position integer NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL,
        workflows text[],
        "when" text,
        headers json NOT NULL DEFAULT '{}',
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'disabled')),
        failing_since timestamptz(3),
        feed_position bigint NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        begins_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        -- Two random UUIDs are 244 random bits.
        secret bytea NOT NULL DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
        former_secret bytea,
        former_secret_until timestamptz(3),
        PRIMARY KEY (workspace_id, id)
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
        CONSTRAINT webhook_deliveries_end CHECK ((state = 'pending') = (finished_at IS NULL)),
        FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX webhook_deliveries_due
        ON webhook_deliveries (workspace_id, webhook_id, next_at) WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_finished
        ON webhook_deliveries (finished_at) WHERE state <> 'pending';
      CREATE UNIQUE INDEX webhook_deliveries_id ON webhook_deliveries (workspace_id, id);
      -- Only a pending delivery with a failed try makes later deliveries of the same task wait.
      CREATE INDEX webhook_deliveries_order
        ON webhook_deliveries (workspace_id, webhook_id, task_id, place) WHERE (state = 'pending') AND (failed_at IS NOT NULL);
      CREATE INDEX webhook_deliveries_single
        ON webhook_deliveries (workspace_id, webhook_id, next_at) WHERE (state = 'pending') AND is_single;
      CREATE INDEX webhook_deliveries_state ON webhook_deliveries (workspace_id, webhook_id, state, place);
    `);
    await db.query(`
      CREATE TRIGGER record_changed_webhook AFTER UPDATE OF url, events, workflows, "when", headers, state, secret ON webhooks
        FOR EACH ROW WHEN ((OLD.state = 'disabled') OR (NEW.state <> 'disabled'))
        EXECUTE FUNCTION record_administration('webhook', '{id,managed_by,state}', '{url,events,workflows,when,headers,state,secret}');
      CREATE TRIGGER record_webhook AFTER INSERT OR DELETE ON webhooks
        FOR EACH ROW EXECUTE FUNCTION record_administration('webhook', '{id,managed_by,state}', '{url,events,workflows,when,headers,state,secret}');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE webhook_deliveries, webhooks;
    `);
  }
}
