CREATE OR REPLACE FUNCTION keep_indexes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kept record;
BEGIN
  -- Checked first because most workflows have no index.
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
