-- Rejects task values of more than 1 MB of JSON, unless the replaced values are at least as large. The error
-- names a constraint. By that name, processes of this and of other versions recognize the error.
CREATE OR REPLACE FUNCTION bound_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  size integer := octet_length(NEW.field_values::text);
BEGIN
  IF size <= 1048576 OR TG_OP = 'UPDATE' AND size <= octet_length(OLD.field_values::text) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the values of the task take % bytes', size
    USING ERRCODE = 'check_violation', CONSTRAINT = 'tasks_size';
END $$;

-- Stores the time and the version at which a task entered its stage. The version tells two visits of a stage apart.
CREATE OR REPLACE FUNCTION note_stage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stage_at := service_now();
  NEW.stage_version := NEW.version;
  RETURN NEW;
END $$;

-- Returns the sort key of a value. Sorted by code point, the keys are in the order of the values. The key of a
-- text is its first 200 characters, or its first 255 if the kind is 'exact'. The key of a number is its sign,
-- the count of digits before the point, and the digits, cut at 100 characters. If the number is negative, 9 - d
-- replaces each digit d after the sign, also in the count. The key of a blank value is the empty text. While a
-- field changes its type, a value of another kind has an arbitrary key.
CREATE OR REPLACE FUNCTION sort_key_of(value text, kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE
    WHEN value IS NULL THEN ''
    WHEN kind <> 'number' THEN left(value, CASE kind WHEN 'exact' THEN 255 ELSE 200 END)
    WHEN starts_with(value, '-') THEN '0' || translate(
      left(lpad((strpos(value || '.', '.') - 2)::text, 2, '0') || replace(substr(value, 2), '.', ''), 100),
      '0123456789', '9876543210'
    ) || '~'
    ELSE '1' || left(lpad((strpos(value || '.', '.') - 1)::text, 2, '0') || replace(value, '.', ''), 100)
  END;

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

-- Deletes the timers that a change of the task's stage cancels. For each timer, records a run with the reason.
-- Keeps timers that the current transaction has set, because these timers belong to the new stage.
CREATE OR REPLACE FUNCTION cancel_timers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Checked first because most tasks have no timer.
  IF NOT EXISTS (
    SELECT FROM timers t
    WHERE t.workspace_id = NEW.workspace_id AND t.workflow_id = NEW.workflow_id AND t.task_id = NEW.id
  ) THEN RETURN NULL; END IF;
  WITH cancelled AS (
    DELETE FROM timers t
    WHERE t.workspace_id = NEW.workspace_id AND t.workflow_id = NEW.workflow_id AND t.task_id = NEW.id
      AND t.is_cancelled_by_stage AND t.tx <> pg_current_xact_id()::text::bigint
    RETURNING t.id, t.action_id
  )
  INSERT INTO runs (workspace_id, kind, workflow_id, starter_id, action_id, task_workflow_id, task_id, public_id, unique_value,
    result, because)
  SELECT NEW.workspace_id, 'timer', NEW.workflow_id, c.id, c.action_id, NEW.workflow_id, NEW.id, NEW.public_id,
    NEW.unique_value, 'skipped', 'the stage of the task changed'
  FROM cancelled c;
  RETURN NULL;
END $$;
