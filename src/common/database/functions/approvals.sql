-- Returns the user who made a change. If automation made the change, returns the user who triggered the automation.
-- Matches the origin as text, because a client that writes by SQL may have set an origin that is not JSON.
CREATE OR REPLACE FUNCTION author_of(origin text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(substring(origin FROM '"initiator":"([^"]+)"'), substring(origin FROM '"user":"([^"]+)"'))
$$;

-- Returns the parts of a task that an event has changed, as approvals name them. A field or file is named by
-- the field's id, and a set of links by > or < and the relationship's id. # is the Unique ID, @ the assignee,
-- and ~ the stage. The parameter has any type, because Citus passes the row type of a shard.
CREATE OR REPLACE FUNCTION changed_parts(event anyelement) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (
    SELECT COALESCE(array_agg(part), '{}') FROM (
      SELECT jsonb_object_keys(COALESCE(event.values_from, '{}') || COALESCE(event.values_to, '{}')) AS part
      UNION
      SELECT link ->> 0 FROM jsonb_array_elements(COALESCE(event.links, '[]')) link
      UNION ALL
      SELECT '#' WHERE event.about ? 'unique_from'
      UNION ALL
      SELECT '@' WHERE event.assignee_from IS DISTINCT FROM event.assignee_to
      UNION ALL
      SELECT '~' WHERE event.stage_to IS NOT NULL
    ) changed
  );
END $$;

-- Returns the users who changed each part of a task, and when. Part '+' is the creation. If the task was
-- created before the workflow had approvals, the function also reads the events that are still stored.
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

-- Returns a hash of the parts of a task that an approval covers, and of the current visit to the task's stage.
-- Parts are the Unique ID, the assignee, values, files, sets of links, and parts of linked tasks. The hash
-- changes when a covered part or the visit changes.
CREATE OR REPLACE FUNCTION approval_state(workspace integer, workflow integer, task bigint, covers text[]) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT 'f_' || left(encode(sha256(convert_to(concat_ws(E'\n',
    t.id, COALESCE(t.stage_version, 1), t.stage_id,
    CASE WHEN '*' = ANY (covers) THEN t.field_values::text ELSE (
      SELECT jsonb_object_agg(part, t.field_values -> part)::text FROM unnest(covers) part WHERE t.field_values ? part
    ) END,
    CASE WHEN covers && ARRAY['*', '#'] THEN '#' || t.unique_value END,
    CASE WHEN '@' = ANY (covers) THEN '@' || t.assignee_id END,
    (
      SELECT string_agg(concat_ws(' ', l.side, o.public_id,
        CASE WHEN l.side = ANY (covers) THEN concat_ws(' ', o.unique_value, o.field_values::text) ELSE (
          SELECT jsonb_object_agg(f.part, CASE f.part WHEN '~' THEN to_jsonb(o.stage_id) WHEN '@' THEN to_jsonb(o.assignee_id)
            WHEN '#' THEN to_jsonb(o.unique_value) ELSE o.field_values -> f.part END)::text
          FROM (SELECT substr(part, length(l.side) + 2) AS part FROM unnest(covers) part
            WHERE starts_with(part, l.side || '/')) f
        ) END), E'\n' ORDER BY l.side, o.id)
      FROM (
        SELECT '>' || relationship_id AS side, to_workflow_id AS workflow_id, to_id AS id
        FROM links WHERE workspace_id = workspace AND from_id = task
        UNION ALL
        SELECT '<' || relationship_id, from_workflow_id, from_id FROM links WHERE workspace_id = workspace AND to_id = task
      ) l
      JOIN tasks o ON o.workspace_id = workspace AND o.workflow_id = l.workflow_id AND o.id = l.id
      WHERE '*' = ANY (covers) OR EXISTS (SELECT FROM unnest(covers) part WHERE split_part(part, '/', 1) = l.side)
    )
  ), 'UTF8')), 'hex'), 24)
  FROM tasks t WHERE t.workspace_id = workspace AND t.workflow_id = workflow AND t.id = task
$$;

-- When a task changes, makes the affected approvals stale and records who changed which part, in the same
-- transaction. Every recorded write of a task inserts or updates an event, which fires this trigger. Skips
-- workflows that have no approvals and whose tasks are not covered by approvals of another workflow.
CREATE OR REPLACE FUNCTION mark_approvals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author text;
  parts text[];
  -- Whether the Unique ID, a field or a file has changed. An approval that covers '>5' covers them
  -- in each task that relationship 5 links.
  holds_content boolean;
  -- Whether the Unique ID, a field, a file or a set of links has changed. An approval that covers '*' covers them all.
  holds_own boolean;
  -- The changed sets of links, such as '>5/'. An approval that covers single values of linked tasks also covers '>5/'.
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
    SELECT t.workspace_id, t.workflow_id, t.id, '+', author FROM tasks t
    WHERE author IS NOT NULL
      AND t.workspace_id = NEW.workspace_id AND t.workflow_id = NEW.workflow_id AND t.id = NEW.task_id
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
  -- An action does not make its own approvals stale, because they were checked before the action began.
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

-- Marks the live approvals of a succeeded action as used. For later approvals, only changes after this success make a
-- user an editor.
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
