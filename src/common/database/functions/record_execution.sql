-- Records the outcome of an execution in the run of the rule, clock, schedule or timer that started it. The outcome is
-- "unavailable" where no step began, because the requirements were no longer met or the task was gone.
CREATE OR REPLACE FUNCTION record_execution() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  what jsonb := jsonb_build_object('id', NEW.id, 'action', NEW.action_id, 'name', NEW.action_name,
    'performer', NEW.performer_id, 'status', NEW.status, 'errors', NEW.errors, 'outcomes', NEW.outcomes);
BEGIN
  IF NEW.status <> 'Pending' AND NEW.origin LIKE '%"cause":{%' THEN
    IF NEW.status = 'Fail' AND NEW.errors <> ARRAY['was not begun in time']
      AND NOT jsonb_path_exists(NEW.outcomes, '$[*] ? (@.status != "Skipped")') THEN
      what := what || '{"unavailable": true}';
    END IF;
    UPDATE runs SET because = CASE WHEN NEW.status = 'Fail' THEN NEW.errors[1] ELSE because END,
      result = CASE WHEN NEW.status = 'Success' THEN 'started' WHEN what ? 'unavailable' THEN 'unavailable' ELSE 'failed' END
    WHERE workspace_id = NEW.workspace_id AND execution_id = NEW.id;
    -- An execution without a run was started by a client that only names the cause: it failed.
    IF NOT FOUND THEN what := what - 'unavailable'; END IF;
  END IF;
  IF NEW.status = 'Success' THEN
    PERFORM use_approvals(NEW.workspace_id, NEW.workflow_id, NEW.task_id, NEW.action_id);
  END IF;
  IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
  PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id,
    CASE WHEN NEW.status = 'Pending' THEN 'execution.started' WHEN NEW.status = 'Success' THEN 'execution.succeeded'
      WHEN NEW.errors = ARRAY['was cancelled'] THEN 'execution.cancelled' ELSE 'execution.failed' END,
    NEW.origin, what, NULL, NULL);
  RETURN NULL;
END $$;
