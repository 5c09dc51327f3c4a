-- The name of a deleted task is read from its last event.
CREATE OR REPLACE FUNCTION record_about(
  workspace integer, workflow integer, task bigint, kind text, by_origin text, what jsonb, old jsonb, new jsonb
) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  event uuid := take_event_id();
BEGIN
  INSERT INTO events (workspace_id, id, type, origin, workflow_id, task_id, public_id, unique_value, version,
    about, values_from, values_to)
  SELECT workspace, event, kind, COALESCE(NULLIF(current_setting('wts.origin', true), ''), by_origin), workflow, task,
    known.public_id, known.unique_value, known.version, what, old, new
  FROM (SELECT) one LEFT JOIN LATERAL (
    SELECT t.public_id, t.unique_value, t.version_offset + t.version AS version FROM tasks t
    WHERE t.workspace_id = workspace AND t.workflow_id = workflow AND t.id = task
    UNION ALL (
      SELECT e.public_id, e.unique_value, e.version FROM events e
      WHERE e.workspace_id = workspace AND e.task_id = task ORDER BY e.place DESC LIMIT 1
    )
    LIMIT 1
  ) known ON true;
END $$;
