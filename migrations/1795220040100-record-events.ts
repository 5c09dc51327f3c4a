import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What happens to tasks and what belongs to them, recorded by the database in the transaction of the change. */
export class RecordEvents1795220040100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // No foreign keys: each would cost every write another look-up, and events outlive what they tell of.
    await db.query(`
      CREATE TABLE events (
        workspace_id integer NOT NULL,
        place bigint GENERATED ALWAYS AS IDENTITY,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        tx bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
        type text COLLATE "C" NOT NULL,
        happened_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        origin text,
        workflow_id integer,
        task_id bigint,
        public_id text COLLATE "C",
        unique_value text COLLATE "C",
        version bigint,
        stage_from integer,
        stage_to integer,
        assignee_from text COLLATE "C",
        assignee_to text COLLATE "C",
        values_from jsonb,
        values_to jsonb,
        links jsonb,
        about jsonb,
        is_open boolean NOT NULL DEFAULT false,
        PRIMARY KEY (workspace_id, place)
      );
      CREATE INDEX events_task ON events (workspace_id, task_id, place);
      CREATE INDEX events_tx ON events (workspace_id, tx);
      CREATE INDEX events_open ON events (workspace_id, task_id) WHERE is_open;

      -- Stages and workflows that the definition no longer has: events tell of them still.
      CREATE TABLE former_names (
        workspace_id integer NOT NULL,
        kind text COLLATE "C" NOT NULL CHECK (kind IN ('stage', 'workflow')),
        id integer NOT NULL,
        name text NOT NULL,
        PRIMARY KEY (workspace_id, kind, id)
      );

      -- Who began it, as events tell it.
      ALTER TABLE executions ADD COLUMN origin text;
    `);
    await createFunctions(db, 'take_event_id', 'record_about');
    await this.recordTasks(db);
    await this.recordLinks(db);
    await this.recordWhatBelongsToTasks(db);
    await this.recordDefinitions(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER keep_former_name ON workflows;
      DROP TRIGGER keep_former_name ON stages;
      DROP TRIGGER record_definition ON definition_versions;
      DROP TRIGGER record_execution_end ON executions;
      DROP TRIGGER record_execution_start ON executions;
      DROP TRIGGER record_comment ON comments;
      DROP TRIGGER record_item_deletion ON checklist_items;
      DROP TRIGGER record_item_update ON checklist_items;
      DROP TRIGGER record_item_creation ON checklist_items;
      DROP TRIGGER record_unlinking ON links;
      DROP TRIGGER record_linking ON links;
      DROP TRIGGER record_task_deletion ON tasks;
      DROP TRIGGER record_task_update ON tasks;
      DROP TRIGGER record_task_creation ON tasks;
      DROP FUNCTION keep_former_name, record_definition, record_execution, record_comment, record_item, record_about,
        record_links, record_task, take_event_id;
      DROP FUNCTION IF EXISTS assert_definition(integer, integer, integer, text);
      ALTER TABLE executions DROP COLUMN origin;
      DROP TABLE former_names, events;
    `);
  }

  private async recordTasks(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_task');
    await db.query(`
      CREATE TRIGGER record_task_creation AFTER INSERT ON tasks
        FOR EACH ROW EXECUTE FUNCTION record_task('task.created');
      CREATE TRIGGER record_task_update AFTER UPDATE ON tasks
        FOR EACH ROW WHEN (OLD.version <> NEW.version
          OR (OLD.stage_id, OLD.assignee_id, OLD.unique_value, OLD.field_values)
            IS DISTINCT FROM (NEW.stage_id, NEW.assignee_id, NEW.unique_value, NEW.field_values))
        EXECUTE FUNCTION record_task('task.updated');
      CREATE TRIGGER record_task_deletion AFTER DELETE ON tasks
        FOR EACH ROW EXECUTE FUNCTION record_task('task.deleted');
    `);
  }

  /** Links belong to the event of the task that the same transaction makes, before them or after. */
  private async recordLinks(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_links');
    await db.query(`
      CREATE TRIGGER record_linking AFTER INSERT ON links
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_links();
      CREATE TRIGGER record_unlinking AFTER DELETE ON links
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_links();
    `);
  }

  /** What goes with its task, or comes from a template along with it, makes no events of its own. */
  private async recordWhatBelongsToTasks(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_item', 'record_comment', 'record_execution');
    await db.query(`
      CREATE TRIGGER record_item_creation AFTER INSERT ON checklist_items
        FOR EACH ROW WHEN (NEW.is_editable) EXECUTE FUNCTION record_item('checklist_item.created');
      CREATE TRIGGER record_item_update AFTER UPDATE ON checklist_items
        FOR EACH ROW WHEN ((OLD.title, OLD.status, OLD.assignee_id, OLD.stage_id)
          IS DISTINCT FROM (NEW.title, NEW.status, NEW.assignee_id, NEW.stage_id))
        EXECUTE FUNCTION record_item('checklist_item.updated');
      CREATE TRIGGER record_item_deletion AFTER DELETE ON checklist_items
        FOR EACH ROW EXECUTE FUNCTION record_item('checklist_item.deleted');
      CREATE TRIGGER record_comment AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION record_comment();

      CREATE TRIGGER record_execution_start AFTER INSERT ON executions
        FOR EACH ROW EXECUTE FUNCTION record_execution();
      CREATE TRIGGER record_execution_end AFTER UPDATE ON executions
        FOR EACH ROW WHEN (OLD.status = 'Pending' AND NEW.status <> 'Pending') EXECUTE FUNCTION record_execution();
    `);
  }

  private async recordDefinitions(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_definition', 'keep_former_name');
    await db.query(`
      CREATE TRIGGER record_definition AFTER INSERT ON definition_versions
        FOR EACH ROW EXECUTE FUNCTION record_definition();

      CREATE TRIGGER keep_former_name AFTER DELETE ON stages
        FOR EACH ROW EXECUTE FUNCTION keep_former_name('stage');
      CREATE TRIGGER keep_former_name AFTER DELETE ON workflows
        FOR EACH ROW EXECUTE FUNCTION keep_former_name('workflow');
    `);
  }
}
