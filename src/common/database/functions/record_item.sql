CREATE OR REPLACE FUNCTION record_item() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item checklist_items;
BEGIN
  IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN item := OLD; ELSE item := NEW; END IF;
  -- No event for an item that is deleted together with its task.
  IF TG_OP = 'DELETE' AND NOT EXISTS (
    SELECT FROM tasks t
    WHERE t.workspace_id = item.workspace_id AND t.workflow_id = item.workflow_id AND t.id = item.task_id
  ) THEN RETURN NULL; END IF;
  PERFORM record_about(item.workspace_id, item.workflow_id, item.task_id, TG_ARGV[0], NULL,
    jsonb_build_object('id', item.id, 'title', item.title, 'status', item.status, 'editable', item.is_editable,
      'assignee', item.assignee_id, 'stage', item.stage_id),
    CASE WHEN TG_OP = 'UPDATE' THEN jsonb_build_object('title', OLD.title, 'status', OLD.status,
      'assignee', OLD.assignee_id, 'stage', OLD.stage_id) END,
    NULL);
  RETURN NULL;
END $$;
