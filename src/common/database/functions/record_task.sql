-- Records a change of a task as an event. A writer identifies itself in the setting wts.origin, for its transaction
-- only: JSON, behind the id of the first event if the writer has to know that id. 'none' turns recording off. A
-- statement that records its own rows calls records_itself().
CREATE OR REPLACE FUNCTION record_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told text := current_setting('wts.origin', true);
  event uuid;
  -- Keys whose values are unchanged; NULL if all are. OLD is NULL for an INSERT, NEW for a DELETE.
  same text[];
  from_stage integer := CASE WHEN OLD.stage_id IS DISTINCT FROM NEW.stage_id THEN OLD.stage_id END;
  to_stage integer := CASE WHEN OLD.stage_id IS DISTINCT FROM NEW.stage_id THEN NEW.stage_id END;
  from_assignee text := CASE WHEN OLD.assignee_id IS DISTINCT FROM NEW.assignee_id THEN OLD.assignee_id END;
  to_assignee text := CASE WHEN OLD.assignee_id IS DISTINCT FROM NEW.assignee_id THEN NEW.assignee_id END;
  more jsonb;
BEGIN
  IF told = 'none' OR current_setting('wts.recorded', true) = statement_timestamp()::text THEN RETURN NULL; END IF;
  IF told ~ '^[0-9a-f]{8}-' THEN
    event := left(told, 36)::uuid;
    told := set_config('wts.origin', substr(told, 37), true);
  ELSE
    event := gen_random_uuid();
  END IF;
  same := CASE TG_OP WHEN 'UPDATE' THEN same_keys(OLD.field_values, NEW.field_values) ELSE '{}' END;
  IF TG_OP = 'UPDATE' AND OLD.unique_value IS DISTINCT FROM NEW.unique_value THEN
    more := jsonb_build_object('unique_from', OLD.unique_value);
  END IF;
  -- If this transaction has already recorded links of the task, its event is completed here.
  IF current_setting('wts.open', true) = 'yes' THEN
    UPDATE events e SET id = event, type = TG_ARGV[0], is_open = false,
      version = COALESCE(NEW.version_offset + NEW.version, OLD.version_offset + OLD.version + 1),
      unique_value = CASE WHEN TG_OP = 'DELETE' THEN OLD.unique_value ELSE NEW.unique_value END,
      stage_from = from_stage, stage_to = to_stage, assignee_from = from_assignee, assignee_to = to_assignee,
      values_from = OLD.field_values - same, values_to = NEW.field_values - same, about = more
    WHERE e.workspace_id = COALESCE(NEW.workspace_id, OLD.workspace_id) AND e.task_id = COALESCE(NEW.id, OLD.id)
      AND e.is_open AND e.tx = pg_current_xact_id()::text::bigint;
    IF FOUND THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO events (workspace_id, id, type, origin, workflow_id, task_id, public_id, unique_value, version,
    stage_from, stage_to, assignee_from, assignee_to, values_from, values_to, about)
  VALUES (COALESCE(NEW.workspace_id, OLD.workspace_id), event, TG_ARGV[0], NULLIF(told, ''),
    COALESCE(NEW.workflow_id, OLD.workflow_id), COALESCE(NEW.id, OLD.id), COALESCE(NEW.public_id, OLD.public_id),
    CASE WHEN TG_OP = 'DELETE' THEN OLD.unique_value ELSE NEW.unique_value END,
    COALESCE(NEW.version_offset + NEW.version, OLD.version_offset + OLD.version + 1),
    from_stage, to_stage, from_assignee, to_assignee, OLD.field_values - same, NEW.field_values - same, more);
  RETURN NULL;
END $$;
