import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Indexes in the order of a field: one table for all, since thousands of partial indexes would slow every plan. */
export class SortByFields1795220030100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The fields whose definition says so. Lists use an index when all tasks of the workflow are in it.
      CREATE TABLE field_indexes (
        workspace_id integer NOT NULL REFERENCES workspaces,
        workflow_id integer NOT NULL,
        field_id text COLLATE "C" NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        kind text NOT NULL,
        -- The task up to which those are in it that were there when it began.
        filled_to bigint NOT NULL DEFAULT 0,
        is_filled boolean NOT NULL DEFAULT false,
        PRIMARY KEY (workspace_id, workflow_id, field_id),
        CONSTRAINT field_indexes_id UNIQUE (workspace_id, id)
      );
      CREATE TABLE task_sort_keys (
        workspace_id integer NOT NULL,
        index_id integer NOT NULL,
        sort_key text COLLATE "C" NOT NULL,
        task_id bigint NOT NULL,
        PRIMARY KEY (workspace_id, index_id, sort_key, task_id)
      );
    `);
    await createFunctions(db, 'sort_key_of');
    await db.query(`
      CREATE FUNCTION keep_sort_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        -- Most workflows have no index.
        IF NOT EXISTS (
          SELECT FROM field_indexes
          WHERE workspace_id = COALESCE(NEW.workspace_id, OLD.workspace_id)
            AND workflow_id = COALESCE(NEW.workflow_id, OLD.workflow_id)
        ) THEN
          RETURN NULL;
        END IF;
        IF TG_OP <> 'INSERT' THEN
          DELETE FROM task_sort_keys k USING field_indexes i
          WHERE i.workspace_id = OLD.workspace_id AND i.workflow_id = OLD.workflow_id
            AND (TG_OP = 'DELETE' OR OLD.field_values -> i.field_id IS DISTINCT FROM NEW.field_values -> i.field_id)
            AND k.workspace_id = OLD.workspace_id AND k.index_id = i.id AND k.task_id = OLD.id
            AND k.sort_key = sort_key_of(OLD.field_values ->> i.field_id, i.kind);
        END IF;
        IF TG_OP <> 'DELETE' THEN
          INSERT INTO task_sort_keys (workspace_id, index_id, sort_key, task_id)
          SELECT i.workspace_id, i.id, sort_key_of(NEW.field_values ->> i.field_id, i.kind), NEW.id
          FROM field_indexes i
          WHERE i.workspace_id = NEW.workspace_id AND i.workflow_id = NEW.workflow_id
            AND (TG_OP = 'INSERT' OR OLD.field_values -> i.field_id IS DISTINCT FROM NEW.field_values -> i.field_id)
          ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER keep_sort_keys AFTER INSERT OR DELETE ON tasks
        FOR EACH ROW EXECUTE FUNCTION keep_sort_keys();
      CREATE TRIGGER keep_sort_keys_of_changed AFTER UPDATE OF field_values ON tasks
        FOR EACH ROW WHEN (OLD.field_values IS DISTINCT FROM NEW.field_values) EXECUTE FUNCTION keep_sort_keys();
    `);
    // Where this comes again after it was taken back, what definitions say is begun again; workers fill it.
    await db.query(`
      INSERT INTO field_indexes (workspace_id, workflow_id, field_id, kind)
      SELECT workspace_id, workflow_id, id, CASE
        WHEN type IN ('number', 'currency') THEN 'number'
        WHEN type IN ('person', 'singleSelect', 'checkbox') THEN 'exact'
        ELSE 'text' END
      FROM fields WHERE settings ->> 'index' = 'true';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP FUNCTION IF EXISTS ids_about;
      DROP TRIGGER keep_sort_keys ON tasks;
      DROP TRIGGER keep_sort_keys_of_changed ON tasks;
      DROP FUNCTION keep_sort_keys;
      DROP FUNCTION sort_key_of;
      DROP TABLE task_sort_keys, field_indexes;
    `);
  }
}
