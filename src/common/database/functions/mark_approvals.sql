-- Marks the approvals that a change of a task affects, and records who changed which part, in the same transaction.
-- Every write of a task inserts or updates an event, which fires this trigger. Workflows without approvals are skipped.
CREATE OR REPLACE FUNCTION mark_approvals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author text;
  parts text[];
  -- Of linked tasks only the Unique ID, fields and files count; of the task itself its sets of links count, too.
  holds_content boolean;
  holds_own boolean;
  -- An approval that covers some values of linked tasks also covers which tasks are linked.
  sides text[];
  own executions;
BEGIN
  IF NOT EXISTS (
    SELECT FROM workflows w
    WHERE w.workspace_id = NEW.workspace_id AND w.id = NEW.workflow_id AND w.approvals_since IS NOT NULL
  ) THEN RETURN NULL; END IF;
  author := author_of(NEW.origin);
  IF NEW.type = 'task.created' THEN
    INSERT INTO task_editors (workspace_id, workflow_id, task_id, part, user_id)
    SELECT t.workspace_id, t.workflow_id, t.id, '+', COALESCE(author, '') FROM tasks t
    WHERE t.workspace_id = NEW.workspace_id AND t.workflow_id = NEW.workflow_id AND t.id = NEW.task_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END IF;
  parts := changed_parts(NEW);
  sides := ARRAY(SELECT part || '/' FROM unnest(parts) part WHERE part ~ '^[<>]');
  holds_own := EXISTS (SELECT FROM unnest(parts) part WHERE part NOT IN ('@', '~'));
  holds_content := EXISTS (SELECT FROM unnest(parts) part WHERE part !~ '^[@~<>]');
  IF author IS NOT NULL THEN
    INSERT INTO task_editors AS e (workspace_id, workflow_id, task_id, part, user_id)
    SELECT t.workspace_id, t.workflow_id, t.id, part, author FROM tasks t CROSS JOIN unnest(parts) part
    WHERE t.workspace_id = NEW.workspace_id AND t.workflow_id = NEW.workflow_id AND t.id = NEW.task_id
    ORDER BY part
    ON CONFLICT (workspace_id, workflow_id, task_id, part, user_id) DO UPDATE SET edited_at = service_now();
  END IF;
  -- An action does not invalidate its own approvals: they were checked before it began.
  SELECT * INTO own FROM executions e
  WHERE e.workspace_id = NEW.workspace_id AND e.id = substring(NEW.origin FROM '"execution":"([^"]+)"');
  WITH ends AS (
    SELECT l.from_workflow_id AS workflow_id, l.from_id AS task_id, '>' || l.relationship_id AS side
    FROM links l WHERE l.workspace_id = NEW.workspace_id AND l.to_id = NEW.task_id
    UNION ALL
    SELECT l.to_workflow_id, l.to_id, '<' || l.relationship_id
    FROM links l WHERE l.workspace_id = NEW.workspace_id AND l.from_id = NEW.task_id
  ), met AS (
    SELECT a.id, parts FROM approvals a
    WHERE a.workspace_id = NEW.workspace_id AND a.workflow_id = NEW.workflow_id AND a.task_id = NEW.task_id AND NOT a.is_past
      AND (NEW.stage_to IS NOT NULL OR a.covers && (parts || sides) OR holds_own AND '*' = ANY (a.covers))
    UNION ALL
    SELECT a.id, ARRAY[e.side] FROM ends e
    JOIN approvals a ON a.workspace_id = NEW.workspace_id AND a.workflow_id = e.workflow_id AND a.task_id = e.task_id
    WHERE NOT a.is_past AND (holds_content AND e.side = ANY (a.covers)
      OR a.covers && ARRAY(SELECT e.side || '/' || part FROM unnest(parts) part))
  ), locked AS MATERIALIZED (
    SELECT a.id, a.state, a.covers FROM approvals a
    WHERE a.workspace_id = NEW.workspace_id AND a.id IN (SELECT m.id FROM met m)
      AND (a.task_id, a.action_id) IS DISTINCT FROM (own.task_id, own.action_id)
    ORDER BY a.id FOR NO KEY UPDATE
  ), marked AS (
    UPDATE approvals a SET tells = '{}', state = CASE l.state WHEN 'live' THEN 'stale' ELSE l.state END,
      because = CASE
        WHEN l.state NOT IN ('live', 'stale') OR a.because ? 'stage' THEN a.because
        WHEN a.task_id = NEW.task_id AND NEW.stage_from IS NOT NULL
          THEN COALESCE(a.because, '{}') || jsonb_build_object('stage', NEW.stage_from)
        ELSE COALESCE(a.because, '{}') || jsonb_build_object('parts', (
          SELECT jsonb_agg(DISTINCT part) FROM (
            SELECT jsonb_array_elements_text(COALESCE(a.because -> 'parts', '[]')) AS part
            UNION ALL
            SELECT unnest(m.parts) FROM met m WHERE m.id = l.id
          ) p WHERE part <> '~' AND (part = ANY (l.covers) OR part ~ '^[<>]' OR part <> '@' AND '*' = ANY (l.covers))
        )) END,
      marked_at = service_now()
    FROM locked l WHERE a.workspace_id = NEW.workspace_id AND a.id = l.id
    RETURNING a.*, l.state AS was
  )
  INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version, about)
  SELECT t.workspace_id, 'approval.stale', NULLIF(NEW.origin, ''), t.workflow_id, t.id, t.public_id, t.unique_value,
    t.version_offset + t.version, m.about
  FROM (
    SELECT DISTINCT ON (m.workflow_id, m.task_id, m.action_id, m.group_id) m.workflow_id, m.task_id, jsonb_build_object(
      'action', m.action_id, 'group', m.group_id, 'decision', m.decision, 'by', m.by_id, 'for', m.for_id, 'comment', m.comment,
      'because', m.because
    ) AS about
    FROM marked m WHERE m.was = 'live'
    ORDER BY m.workflow_id, m.task_id, m.action_id, m.group_id, m.id
  ) m
  JOIN tasks t ON t.workspace_id = NEW.workspace_id AND t.workflow_id = m.workflow_id AND t.id = m.task_id;
  RETURN NULL;
END $$;
