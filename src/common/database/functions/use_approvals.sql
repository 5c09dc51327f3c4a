-- Marks the approvals of an action as used once it has succeeded. From then on its editors are counted anew.
CREATE OR REPLACE FUNCTION use_approvals(workspace integer, workflow integer, task bigint, action text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO approval_rounds (workspace_id, workflow_id, task_id, action_id)
  SELECT t.workspace_id, t.workflow_id, t.id, action FROM workflows w
  JOIN tasks t ON t.workspace_id = w.workspace_id AND t.workflow_id = w.id AND t.id = task
  WHERE w.workspace_id = workspace AND w.id = workflow AND w.approvals_since IS NOT NULL AND EXISTS (
    SELECT FROM json_array_elements(w.settings -> 'actions') a
    WHERE a ->> 'id' = action AND a -> 'requirements' -> 'approvals' IS NOT NULL
  )
  ON CONFLICT (workspace_id, workflow_id, task_id, action_id) DO UPDATE SET succeeded_at = service_now();
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE approvals a SET is_past = true, state = CASE a.state WHEN 'live' THEN 'used' ELSE a.state END
  WHERE a.workspace_id = workspace AND a.workflow_id = workflow AND a.task_id = task AND a.action_id = action AND NOT a.is_past;
END $$;
