CREATE OR REPLACE FUNCTION record_execution() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' OR current_setting('wts.recorded', true) = statement_timestamp()::text THEN
    RETURN NULL;
  END IF;
  PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id,
    CASE WHEN NEW.status = 'Pending' THEN 'execution.started' WHEN NEW.status = 'Success' THEN 'execution.succeeded'
      WHEN NEW.errors = ARRAY['was cancelled'] THEN 'execution.cancelled' ELSE 'execution.failed' END,
    NEW.origin,
    jsonb_build_object('id', NEW.id, 'action', NEW.action_id, 'name', NEW.action_name, 'performer', NEW.performer_id,
      'status', NEW.status, 'errors', NEW.errors, 'outcomes', NEW.outcomes), NULL, NULL);
  RETURN NULL;
END $$;
