import { createFunctions } from '../src/common/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Events and their followers. Triggers record the events of a change in the transaction of the change. */
export class CreateEvents1795219200009 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- There are no foreign keys: each would cost every write a look-up, and events remain after a task is deleted.
      -- The wide columns come first to save padding.
      CREATE TABLE events (
        place bigint GENERATED ALWAYS AS IDENTITY,
        tx bigint NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
        happened_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        task_id bigint,
        version bigint,
        workspace_id integer NOT NULL,
        workflow_id integer,
        stage_from integer,
        stage_to integer,
        is_open boolean NOT NULL DEFAULT false,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        type text COLLATE "C" NOT NULL,
        origin text,
        public_id text COLLATE "C",
        unique_value text COLLATE "C",
        assignee_from text COLLATE "C",
        assignee_to text COLLATE "C",
        values_from jsonb,
        values_to jsonb,
        links jsonb,
        about jsonb,
        PRIMARY KEY (workspace_id, place)
      );
      CREATE INDEX events_open ON events (workspace_id, task_id) WHERE is_open;
      CREATE INDEX events_task ON events (workspace_id, task_id, place);
      CREATE INDEX events_tx ON events (workspace_id, tx);

      -- All events that are visible to the snapshot in "seen" have a position. The snapshot is valid only in the database
      -- cluster that took it. A restored database is in another cluster.
      CREATE TABLE event_streams (
        workspace_id integer NOT NULL,
        last_position bigint NOT NULL DEFAULT 0,
        seen text NOT NULL DEFAULT '1:1:',
        cluster text NOT NULL,
        dropped_to bigint NOT NULL DEFAULT 0,
        dropped_tag integer NOT NULL DEFAULT 0,
        PRIMARY KEY (workspace_id)
      );

      -- Each row has events with consecutive positions, of which last_position is the last. The random tag
      -- distinguishes a position from the same position in another history, such as before a restore.
      CREATE TABLE event_chunks (
        workspace_id integer NOT NULL,
        last_position bigint NOT NULL,
        places bigint[] NOT NULL,
        tag integer NOT NULL,
        PRIMARY KEY (workspace_id, last_position)
      );

      CREATE TABLE followers (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        name text COLLATE "C" NOT NULL,
        position bigint NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        PRIMARY KEY (workspace_id, name)
      );

      CREATE TABLE events_set_aside (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        follower text COLLATE "C" NOT NULL,
        event_place bigint NOT NULL,
        cause text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace_id, follower, event_place)
      );
    `);
    await createFunctions(db, 'events');
    await db.query(`
      CREATE TRIGGER record_item_creation AFTER INSERT ON checklist_items
        FOR EACH ROW WHEN (NEW.is_editable)
        EXECUTE FUNCTION record_item('checklist_item.created');
      CREATE TRIGGER record_item_deletion AFTER DELETE ON checklist_items
        FOR EACH ROW EXECUTE FUNCTION record_item('checklist_item.deleted');
      CREATE TRIGGER record_item_update AFTER UPDATE ON checklist_items
        FOR EACH ROW WHEN ((OLD.title, OLD.status, OLD.assignee_id, OLD.stage_id)
          IS DISTINCT FROM (NEW.title, NEW.status, NEW.assignee_id, NEW.stage_id))
        EXECUTE FUNCTION record_item('checklist_item.updated');
      CREATE TRIGGER record_comment AFTER INSERT ON comments
        FOR EACH ROW EXECUTE FUNCTION record_comment();
      CREATE TRIGGER record_definition AFTER INSERT ON definition_versions
        FOR EACH ROW EXECUTE FUNCTION record_definition();
      CREATE TRIGGER record_execution_end AFTER UPDATE ON executions
        FOR EACH ROW WHEN ((OLD.status = 'Pending') AND (NEW.status <> 'Pending'))
        EXECUTE FUNCTION record_execution();
      CREATE TRIGGER record_execution_start AFTER INSERT ON executions
        FOR EACH ROW EXECUTE FUNCTION record_execution();
      CREATE TRIGGER record_linking AFTER INSERT ON links
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_links();
      CREATE TRIGGER record_unlinking AFTER DELETE ON links
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_links();
      CREATE TRIGGER record_task_creation AFTER INSERT ON tasks
        FOR EACH ROW EXECUTE FUNCTION record_task('task.created');
      CREATE TRIGGER record_task_deletion AFTER DELETE ON tasks
        FOR EACH ROW EXECUTE FUNCTION record_task('task.deleted');
      CREATE TRIGGER record_task_update AFTER UPDATE ON tasks
        FOR EACH ROW WHEN (OLD.version <> NEW.version
          OR (OLD.stage_id, OLD.assignee_id, OLD.unique_value, OLD.field_values)
          IS DISTINCT FROM (NEW.stage_id, NEW.assignee_id, NEW.unique_value, NEW.field_values))
        EXECUTE FUNCTION record_task('task.updated');
      CREATE TRIGGER record_user AFTER INSERT OR UPDATE OF email, first_name, last_name, active ON users
        FOR EACH ROW EXECUTE FUNCTION record_administration('user', '{id,active}', '{email,first_name,last_name,active}');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER record_item_creation ON checklist_items;
      DROP TRIGGER record_item_deletion ON checklist_items;
      DROP TRIGGER record_item_update ON checklist_items;
      DROP TRIGGER record_comment ON comments;
      DROP TRIGGER record_definition ON definition_versions;
      DROP TRIGGER record_execution_end ON executions;
      DROP TRIGGER record_execution_start ON executions;
      DROP TRIGGER record_linking ON links;
      DROP TRIGGER record_unlinking ON links;
      DROP TRIGGER record_task_creation ON tasks;
      DROP TRIGGER record_task_deletion ON tasks;
      DROP TRIGGER record_task_update ON tasks;
      DROP TRIGGER record_user ON users;
      DROP FUNCTION IF EXISTS record_administration, record_definition, record_execution, record_message,
        record_comment, record_item, record_about, record_links, record_task, same_keys, records_itself,
        number_events;
      DROP TABLE events_set_aside, followers, event_chunks, event_streams, events;
    `);
  }
}
