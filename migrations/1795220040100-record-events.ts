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
    await this.createOrigins(db);
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
        record_links, record_task, take_event_id, assert_definition(integer, integer, integer, text);
      ALTER TABLE executions DROP COLUMN origin;
      DROP TABLE former_names, events;
    `);
  }

  /**
   * Who writes says so in the setting wts.origin, for its transaction only: a JSON text, in front of it the id of the
   * first event where the writer has to know that. 'none' keeps events from being recorded.
   */
  private async createOrigins(db: QueryRunner): Promise<void> {
    await db.query(`
      -- Says in the same breath where the change comes from. The whole again, for a call within would cost every write.
      CREATE FUNCTION assert_definition(workspace integer, workflow integer, known_version integer, origin text)
      RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        IF origin IS NOT NULL THEN
          PERFORM set_config('wts.origin', origin, true);
        END IF;
        PERFORM pg_advisory_xact_lock_shared(workspace, workflow);
        IF NOT EXISTS (SELECT FROM workspaces WHERE id = workspace AND version = known_version) THEN
          RAISE EXCEPTION 'the definition has changed' USING ERRCODE = 'WTS01';
        END IF;
        RETURN true;
      END $$;

      -- Takes the id off the origin, for one event only.
      CREATE FUNCTION take_event_id() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        origin text := current_setting('wts.origin', true);
      BEGIN
        IF origin ~ '^[0-9a-f]{8}-' THEN
          PERFORM set_config('wts.origin', substr(origin, 37), true);
          RETURN left(origin, 36)::uuid;
        END IF;
        RETURN gen_random_uuid();
      END $$;
    `);
  }

  private async recordTasks(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION record_task() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        told text := current_setting('wts.origin', true);
        event uuid;
        task tasks;
        from_stage integer;
        to_stage integer;
        from_assignee text;
        to_assignee text;
        from_values jsonb;
        to_values jsonb;
        more jsonb;
      BEGIN
        IF told = 'none' THEN RETURN NULL; END IF;
        IF told ~ '^[0-9a-f]{8}-' THEN
          event := take_event_id();
          told := substr(told, 37);
        ELSE
          event := gen_random_uuid();
        END IF;
        IF TG_OP = 'INSERT' THEN
          task := NEW;
          to_stage := NEW.stage_id;
          to_assignee := NEW.assignee_id;
          to_values := NEW.field_values;
        ELSIF TG_OP = 'DELETE' THEN
          task := OLD;
          task.version := OLD.version + 1;
          from_stage := OLD.stage_id;
          from_assignee := OLD.assignee_id;
          from_values := OLD.field_values;
        ELSE
          task := NEW;
          IF OLD.stage_id <> NEW.stage_id THEN
            from_stage := OLD.stage_id;
            to_stage := NEW.stage_id;
          END IF;
          IF OLD.assignee_id IS DISTINCT FROM NEW.assignee_id THEN
            from_assignee := OLD.assignee_id;
            to_assignee := NEW.assignee_id;
          END IF;
          IF OLD.field_values <> NEW.field_values THEN
            from_values := OLD.field_values - ARRAY(
              SELECT o.key FROM jsonb_each(OLD.field_values) o WHERE o.value = NEW.field_values -> o.key
            );
            to_values := NEW.field_values - ARRAY(
              SELECT n.key FROM jsonb_each(NEW.field_values) n WHERE n.value = OLD.field_values -> n.key
            );
          END IF;
          IF OLD.unique_value IS DISTINCT FROM NEW.unique_value THEN
            more := jsonb_build_object('unique_from', OLD.unique_value);
          END IF;
        END IF;
        -- What the same transaction has done to its links before stands there already.
        IF current_setting('wts.open', true) = 'yes' THEN
          UPDATE events e SET id = event, type = TG_ARGV[0], is_open = false, version = task.version_offset + task.version,
            unique_value = task.unique_value, stage_from = from_stage, stage_to = to_stage,
            assignee_from = from_assignee, assignee_to = to_assignee,
            values_from = from_values, values_to = to_values, about = more
          WHERE e.workspace_id = task.workspace_id AND e.task_id = task.id AND e.is_open
            AND e.tx = pg_current_xact_id()::text::bigint;
          IF FOUND THEN RETURN NULL; END IF;
        END IF;
        INSERT INTO events (workspace_id, id, type, origin, workflow_id, task_id, public_id, unique_value, version,
          stage_from, stage_to, assignee_from, assignee_to, values_from, values_to, about)
        VALUES (task.workspace_id, event, TG_ARGV[0], NULLIF(told, ''), task.workflow_id, task.id, task.public_id,
          task.unique_value, task.version_offset + task.version, from_stage, to_stage, from_assignee, to_assignee,
          from_values, to_values, more);
        RETURN NULL;
      END $$;

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
    await db.query(`
      CREATE FUNCTION record_links() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        is_linked boolean := TG_OP = 'INSERT';
      BEGIN
        IF current_setting('wts.origin', true) = 'none' OR NOT EXISTS (SELECT FROM changed) THEN RETURN NULL; END IF;
        WITH ends AS (
          SELECT c.workspace_id, c.from_workflow_id AS workflow_id, c.from_id AS task_id,
            jsonb_build_array('>' || c.relationship_id, is_linked, o.unique_value) AS link
          FROM changed c
          LEFT JOIN tasks o ON o.workspace_id = c.workspace_id AND o.workflow_id = c.to_workflow_id AND o.id = c.to_id
          UNION ALL
          SELECT c.workspace_id, c.to_workflow_id, c.to_id,
            jsonb_build_array('<' || c.relationship_id, is_linked, o.unique_value)
          FROM changed c
          LEFT JOIN tasks o ON o.workspace_id = c.workspace_id AND o.workflow_id = c.from_workflow_id AND o.id = c.from_id
        ), tied AS MATERIALIZED (
          SELECT workspace_id, workflow_id, task_id, jsonb_agg(link) AS links FROM ends
          GROUP BY workspace_id, workflow_id, task_id
        ), known AS MATERIALIZED (
          SELECT t.*, e.place FROM tied t CROSS JOIN LATERAL (
            SELECT e.place FROM (
              SELECT e.place, e.tx, e.type FROM events e
              WHERE e.workspace_id = t.workspace_id AND e.task_id = t.task_id ORDER BY e.place DESC LIMIT 20
            ) e
            WHERE e.tx = pg_current_xact_id()::text::bigint AND e.type IN ('task.created', 'task.updated', 'task.deleted')
            ORDER BY e.place DESC LIMIT 1
          ) e
        ), merged AS (
          UPDATE events e SET links = COALESCE(e.links, '[]') || k.links FROM known k
          WHERE e.workspace_id = k.workspace_id AND e.place = k.place
        )
        INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version, links, is_open)
        SELECT t.workspace_id, 'task.updated', NULLIF(current_setting('wts.origin', true), ''), t.workflow_id, t.task_id,
          o.public_id, o.unique_value, o.version_offset + o.version, t.links, true
        FROM tied t
        LEFT JOIN tasks o ON o.workspace_id = t.workspace_id AND o.workflow_id = t.workflow_id AND o.id = t.task_id
        WHERE NOT EXISTS (SELECT FROM known k WHERE k.workspace_id = t.workspace_id AND k.task_id = t.task_id);
        IF FOUND THEN PERFORM set_config('wts.open', 'yes', true); END IF;
        RETURN NULL;
      END $$;

      CREATE TRIGGER record_linking AFTER INSERT ON links
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_links();
      CREATE TRIGGER record_unlinking AFTER DELETE ON links
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_links();
    `);
  }

  /** What goes with its task, or comes from a template along with it, makes no events of its own. */
  private async recordWhatBelongsToTasks(db: QueryRunner): Promise<void> {
    await db.query(`
      -- Of a task that is gone its last event knows what it was called.
      CREATE FUNCTION record_about(
        workspace integer, workflow integer, task bigint, kind text, by_origin text, what jsonb, old jsonb, new jsonb
      ) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        event uuid := take_event_id();
      BEGIN
        INSERT INTO events (workspace_id, id, type, origin, workflow_id, task_id, public_id, unique_value, version,
          about, values_from, values_to)
        SELECT workspace, event, kind, COALESCE(NULLIF(current_setting('wts.origin', true), ''), by_origin), workflow, task,
          known.public_id, known.unique_value, known.version, what, old, new
        FROM (SELECT) one LEFT JOIN LATERAL (
          SELECT t.public_id, t.unique_value, t.version_offset + t.version AS version FROM tasks t
          WHERE t.workspace_id = workspace AND t.workflow_id = workflow AND t.id = task
          UNION ALL (
            SELECT e.public_id, e.unique_value, e.version FROM events e
            WHERE e.workspace_id = workspace AND e.task_id = task ORDER BY e.place DESC LIMIT 1
          )
          LIMIT 1
        ) known ON true;
      END $$;

      CREATE FUNCTION record_item() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        item checklist_items;
      BEGIN
        IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
        IF TG_OP = 'DELETE' THEN item := OLD; ELSE item := NEW; END IF;
        -- With its task it goes without a word.
        IF TG_OP = 'DELETE' AND NOT EXISTS (
          SELECT FROM tasks t
          WHERE t.workspace_id = item.workspace_id AND t.workflow_id = item.workflow_id AND t.id = item.task_id
        ) THEN RETURN NULL; END IF;
        PERFORM record_about(item.workspace_id, item.workflow_id, item.task_id, TG_ARGV[0], NULL,
          jsonb_build_object('id', item.id, 'title', item.title, 'status', item.status, 'editable', item.is_editable,
            'assignee', item.assignee_id, 'stage', item.stage_id),
          CASE WHEN TG_OP = 'UPDATE' THEN jsonb_build_object('title', OLD.title, 'status', OLD.status,
            'assignee', OLD.assignee_id, 'stage', OLD.stage_id) END,
          NULL);
        RETURN NULL;
      END $$;
      CREATE TRIGGER record_item_creation AFTER INSERT ON checklist_items
        FOR EACH ROW WHEN (NEW.is_editable) EXECUTE FUNCTION record_item('checklist_item.created');
      CREATE TRIGGER record_item_update AFTER UPDATE ON checklist_items
        FOR EACH ROW WHEN ((OLD.title, OLD.status, OLD.assignee_id, OLD.stage_id)
          IS DISTINCT FROM (NEW.title, NEW.status, NEW.assignee_id, NEW.stage_id))
        EXECUTE FUNCTION record_item('checklist_item.updated');
      CREATE TRIGGER record_item_deletion AFTER DELETE ON checklist_items
        FOR EACH ROW EXECUTE FUNCTION record_item('checklist_item.deleted');

      CREATE FUNCTION record_comment() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
        PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id, 'comment.created', NULL,
          jsonb_build_object('author', NEW.author_id, 'body', NEW.body, 'created_at', NEW.created_at), NULL, NULL);
        RETURN NULL;
      END $$;
      CREATE TRIGGER record_comment AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION record_comment();

      CREATE FUNCTION record_execution() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
        PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id,
          CASE WHEN NEW.status = 'Pending' THEN 'execution.started' WHEN NEW.status = 'Success' THEN 'execution.succeeded'
            WHEN NEW.errors = ARRAY['was cancelled'] THEN 'execution.cancelled' ELSE 'execution.failed' END,
          NEW.origin,
          jsonb_build_object('id', NEW.id, 'action', NEW.action_id, 'name', NEW.action_name, 'performer', NEW.performer_id,
            'status', NEW.status, 'errors', NEW.errors, 'outcomes', NEW.outcomes), NULL, NULL);
        RETURN NULL;
      END $$;
      CREATE TRIGGER record_execution_start AFTER INSERT ON executions
        FOR EACH ROW EXECUTE FUNCTION record_execution();
      CREATE TRIGGER record_execution_end AFTER UPDATE ON executions
        FOR EACH ROW WHEN (OLD.status = 'Pending' AND NEW.status <> 'Pending') EXECUTE FUNCTION record_execution();
    `);
  }

  private async recordDefinitions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION record_definition() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO events (workspace_id, id, type, origin, about)
        VALUES (NEW.workspace_id, take_event_id(), 'definition.applied',
          jsonb_build_object('definition', NEW.version, 'name', NEW.applied_by), jsonb_build_object('version', NEW.version));
        RETURN NULL;
      END $$;
      CREATE TRIGGER record_definition AFTER INSERT ON definition_versions
        FOR EACH ROW EXECUTE FUNCTION record_definition();

      CREATE FUNCTION keep_former_name() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
        IF TG_ARGV[0] = 'stage' THEN
          INSERT INTO former_names VALUES (OLD.workspace_id, 'stage', OLD.id, OLD.name) ON CONFLICT DO NOTHING;
        ELSE
          INSERT INTO former_names VALUES (OLD.workspace_id, 'workflow', OLD.id, OLD.slug) ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER keep_former_name AFTER DELETE ON stages
        FOR EACH ROW EXECUTE FUNCTION keep_former_name('stage');
      CREATE TRIGGER keep_former_name AFTER DELETE ON workflows
        FOR EACH ROW EXECUTE FUNCTION keep_former_name('workflow');
    `);
  }
}
