CREATE OR REPLACE FUNCTION record_links() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_linked boolean := TG_OP = 'INSERT';
BEGIN
  IF current_setting('wts.origin', true) = 'none' OR NOT EXISTS (SELECT FROM changed) THEN RETURN NULL; END IF;
  WITH ends AS (
    SELECT c.workspace_id, c.from_workflow_id AS workflow_id, c.from_id AS task_id,
      jsonb_build_array('>' || c.relationship_id, is_linked, o.unique_value) AS link
    FROM changed c
    LEFT JOIN tasks o ON o.workspace_id = c.workspace_id AND o.workflow_id = c.to_workflow_id AND o.id = c.to_id
    UNION ALL
    SELECT c.workspace_id, c.to_workflow_id, c.to_id,
      jsonb_build_array('<' || c.relationship_id, is_linked, o.unique_value)
    FROM changed c
    LEFT JOIN tasks o ON o.workspace_id = c.workspace_id AND o.workflow_id = c.from_workflow_id AND o.id = c.from_id
  ), tied AS MATERIALIZED (
    SELECT workspace_id, workflow_id, task_id, jsonb_agg(link) AS links FROM ends
    GROUP BY workspace_id, workflow_id, task_id
  ), known AS MATERIALIZED (
    SELECT t.*, e.place FROM tied t CROSS JOIN LATERAL (
      SELECT e.place FROM (
        SELECT e.place, e.tx, e.type FROM events e
        WHERE e.workspace_id = t.workspace_id AND e.task_id = t.task_id ORDER BY e.place DESC LIMIT 20
      ) e
      WHERE e.tx = pg_current_xact_id()::text::bigint AND e.type IN ('task.created', 'task.updated', 'task.deleted')
      ORDER BY e.place DESC LIMIT 1
    ) e
  ), merged AS (
    UPDATE events e SET links = COALESCE(e.links, '[]') || k.links FROM known k
    WHERE e.workspace_id = k.workspace_id AND e.place = k.place
  )
  INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version, links, is_open)
  SELECT t.workspace_id, 'task.updated', NULLIF(current_setting('wts.origin', true), ''), t.workflow_id, t.task_id,
    o.public_id, o.unique_value, o.version_offset + o.version, t.links, true
  FROM tied t
  LEFT JOIN tasks o ON o.workspace_id = t.workspace_id AND o.workflow_id = t.workflow_id AND o.id = t.task_id
  WHERE NOT EXISTS (SELECT FROM known k WHERE k.workspace_id = t.workspace_id AND k.task_id = t.task_id);
  IF FOUND THEN PERFORM set_config('wts.open', 'yes', true); END IF;
  RETURN NULL;
END $$;
