-- Deletes the timers of a task that are cancelled by a change of its stage, and records the reason as a run. Timers
-- that the current transaction has set are kept: they belong to the new stage.
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
