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
    await db.query(`
      -- The words of a text, in upper case, each behind the id of an index, so that one GIN index keeps those of all
      -- workflows apart. Between words stand white space, punctuation and symbols: what Unicode says of these, whatever the
      -- locale of the database. The parser of PostgreSQL would keep addresses and words with hyphens in one.
      CREATE FUNCTION scoped_words(index integer, given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
        array_remove(array_remove(string_to_array(regexp_replace(
          ' ' || fold_case(CASE WHEN octet_length(given) = length(given) THEN given ELSE normalize(given, NFC) END),
          '[[:space:][:cntrl:][:punct:]$+<=>^\`|~¢-©¬®-±´¸×÷\\u2000-\\u2BFF\\uFE00-\\uFE0F\\U0001F000-\\U0001FAFF]+'
            COLLATE "und-x-icu",
          ' ' || index || ':', 'g'
        ), ' '), ''), index || ':');

      -- Of the Unique ID and the texts of a task, 100,000 characters in all; of a word 400, as PostgreSQL takes 2,046 bytes.
      CREATE FUNCTION words_of(index integer, text_fields text[], unique_value text, field_values jsonb) RETURNS tsvector
      LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
        SELECT array_to_tsvector(
          CASE WHEN octet_length(given) <= 600 THEN scoped_words(index, given)
          ELSE ARRAY(SELECT left(word, 400) FROM unnest(scoped_words(index, given)) word) END
        )
        FROM (
          SELECT left(concat_ws(' ', unique_value, (
            SELECT string_agg(value, ' ') FROM jsonb_each_text(field_values) WHERE key = ANY (text_fields)
          )), 100000) AS given OFFSET 0
        ) texts
      );

      -- That there is a word that begins so for each of the words.
      CREATE FUNCTION words_query(index integer, given text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
        SELECT string_agg('''' || left(word, 400) || ''':*', ' & ')::tsquery FROM unnest(scoped_words(index, given)) word
      );

      -- So many tasks at most, in no order. The planner takes a search for more selective than it may be, or less: here it has
      -- no choice but the GIN index.
      CREATE FUNCTION tasks_with_words(workspace integer, query tsquery, most bigint) RETURNS SETOF bigint
      LANGUAGE plpgsql STABLE STRICT
      SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
      BEGIN
        RETURN QUERY
          SELECT w.task_id FROM task_words w WHERE w.workspace_id + 0 = workspace AND w.words @@ query LIMIT most;
      END $$;
    `);
    await db.query(`
      DROP TRIGGER keep_sort_keys ON tasks;
      DROP TRIGGER keep_sort_keys_of_changed ON tasks;
      DROP FUNCTION keep_sort_keys;
      CREATE FUNCTION keep_indexes() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        kept record;
      BEGIN
        -- Most workflows have no index.
        SELECT bool_or(kind <> 'words') AS keys, bool_or(kind = 'words') AS words INTO kept FROM field_indexes
        WHERE workspace_id = COALESCE(NEW.workspace_id, OLD.workspace_id)
          AND workflow_id = COALESCE(NEW.workflow_id, OLD.workflow_id);
        IF kept.keys AND TG_OP <> 'INSERT' THEN
          DELETE FROM task_sort_keys k USING field_indexes i
          WHERE i.workspace_id = OLD.workspace_id AND i.workflow_id = OLD.workflow_id AND i.kind <> 'words'
            AND (TG_OP = 'DELETE' OR OLD.field_values -> i.field_id IS DISTINCT FROM NEW.field_values -> i.field_id)
            AND k.workspace_id = OLD.workspace_id AND k.index_id = i.id AND k.task_id = OLD.id
            AND k.sort_key = sort_key_of(OLD.field_values ->> i.field_id, i.kind);
        END IF;
        IF kept.keys AND TG_OP <> 'DELETE' THEN
          INSERT INTO task_sort_keys (workspace_id, index_id, sort_key, task_id)
          SELECT i.workspace_id, i.id, sort_key_of(NEW.field_values ->> i.field_id, i.kind), NEW.id
          FROM field_indexes i
          WHERE i.workspace_id = NEW.workspace_id AND i.workflow_id = NEW.workflow_id AND i.kind <> 'words'
            AND (TG_OP = 'INSERT' OR OLD.field_values -> i.field_id IS DISTINCT FROM NEW.field_values -> i.field_id)
          ON CONFLICT DO NOTHING;
        END IF;
        IF kept.words AND TG_OP = 'DELETE' THEN
          DELETE FROM task_words w USING field_indexes i
          WHERE i.workspace_id = OLD.workspace_id AND i.workflow_id = OLD.workflow_id AND i.kind = 'words'
            AND w.workspace_id = OLD.workspace_id AND w.index_id = i.id AND w.task_id = OLD.id;
        ELSIF kept.words THEN
          INSERT INTO task_words AS w (workspace_id, index_id, task_id, words)
          SELECT i.workspace_id, i.id, NEW.id, words_of(i.id, i.text_fields, NEW.unique_value, NEW.field_values)
          FROM field_indexes i
          WHERE i.workspace_id = NEW.workspace_id AND i.workflow_id = NEW.workflow_id AND i.kind = 'words' AND (
            TG_OP = 'INSERT' OR OLD.unique_value IS DISTINCT FROM NEW.unique_value OR EXISTS (
              SELECT FROM unnest(i.text_fields) field
              WHERE OLD.field_values -> field IS DISTINCT FROM NEW.field_values -> field
            )
          )
          ON CONFLICT (workspace_id, index_id, task_id) DO UPDATE SET words = EXCLUDED.words WHERE w.words <> EXCLUDED.words;
        END IF;
        RETURN NULL;
      END $$;
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
      DROP FUNCTION keep_indexes, tasks_with_words, words_query, words_of, scoped_words;
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
