import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Indexes of words: one table for all workflows that are searched, kept and filled as the indexes of fields are. */
export class SearchWords1795220055100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE workflows ADD COLUMN search boolean NOT NULL DEFAULT false;
      -- Of the kind 'words', which is of no one field: those whose texts are in it.
      ALTER TABLE field_indexes ADD COLUMN text_fields text[],
        ADD CONSTRAINT field_indexes_words CHECK ((kind = 'words') = (text_fields IS NOT NULL AND field_id = ''));
      CREATE TABLE task_words (
        workspace_id integer NOT NULL,
        index_id integer NOT NULL,
        task_id bigint NOT NULL,
        words tsvector NOT NULL,
        PRIMARY KEY (workspace_id, index_id, task_id)
      );
      -- New words wait in a list that each search reads: a short one.
      CREATE INDEX task_words_words ON task_words USING gin (words) WITH (gin_pending_list_limit = 64);
    `);
    await createFunctions(db, 'sort_key_of', 'scoped_words', 'words_of', 'keep_indexes');
    await db.query(`
      DROP TRIGGER keep_sort_keys ON tasks;
      DROP TRIGGER keep_sort_keys_of_changed ON tasks;
      DROP FUNCTION keep_sort_keys;
      CREATE TRIGGER keep_indexes AFTER INSERT OR DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION keep_indexes();
      CREATE TRIGGER keep_indexes_of_changed AFTER UPDATE OF field_values, unique_value ON tasks FOR EACH ROW
        WHEN (OLD.field_values IS DISTINCT FROM NEW.field_values OR OLD.unique_value IS DISTINCT FROM NEW.unique_value)
        EXECUTE FUNCTION keep_indexes();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DELETE FROM field_indexes WHERE kind = 'words';
      DROP TRIGGER keep_indexes ON tasks;
      DROP TRIGGER keep_indexes_of_changed ON tasks;
      DROP FUNCTION IF EXISTS keep_indexes, tasks_with_words, words_query, words_of, scoped_words;
      DROP TABLE task_words;
      ALTER TABLE field_indexes DROP CONSTRAINT field_indexes_words, DROP COLUMN text_fields;
      ALTER TABLE workflows DROP COLUMN search;
    `);
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
  }
}
