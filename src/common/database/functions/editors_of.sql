-- The users who changed each part of a task, and when; part '+' is its creation. Changes from before the workflow had
-- approvals are read from the events that are still kept.
CREATE OR REPLACE FUNCTION editors_of(workspace integer, workflow integer, task bigint)
RETURNS TABLE (user_id text, part text, edited_at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT e.user_id, e.part, e.edited_at FROM task_editors e
  WHERE e.workspace_id = workspace AND e.workflow_id = workflow AND e.task_id = task
  UNION ALL
  SELECT author_of(e.origin), p.part, e.happened_at
  FROM tasks t
  JOIN workflows w ON w.workspace_id = t.workspace_id AND w.id = t.workflow_id
  JOIN events e ON e.workspace_id = t.workspace_id AND e.task_id = t.id AND e.type IN ('task.created', 'task.updated')
  CROSS JOIN LATERAL unnest(CASE e.type WHEN 'task.created' THEN ARRAY['+'] ELSE changed_parts(e) END) p (part)
  WHERE t.workspace_id = workspace AND t.workflow_id = workflow AND t.id = task
    AND t.created_at < COALESCE(w.approvals_since, 'infinity') AND author_of(e.origin) IS NOT NULL
$$;
