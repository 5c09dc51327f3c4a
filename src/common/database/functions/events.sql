-- Gives positions to the events that were committed since the last call. Returns the last position and its
-- random tag.
CREATE OR REPLACE FUNCTION number_events(workspace integer, OUT last_position bigint, OUT tag integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  here text := (SELECT system_identifier FROM pg_control_system())::text || '/' || 'events'::regclass::oid;
  stream event_streams;
  next_xid bigint;
  late bigint[];
BEGIN
  SELECT * INTO stream FROM event_streams s WHERE s.workspace_id = workspace;
  next_xid := pg_snapshot_xmax(stream.seen::pg_snapshot)::text::bigint;
  late := ARRAY(SELECT x::text::bigint FROM pg_snapshot_xip(stream.seen::pg_snapshot) x);
  -- Usually there is no new event. This check needs no lock.
  IF stream.cluster IS DISTINCT FROM here
    OR (SELECT e.tx FROM events e WHERE e.workspace_id = workspace ORDER BY e.tx DESC LIMIT 1) >= next_xid
    OR EXISTS (SELECT FROM events e WHERE e.workspace_id = workspace AND e.tx = ANY(late))
  THEN
    IF stream.workspace_id IS NULL THEN
      INSERT INTO event_streams (workspace_id, cluster) VALUES (workspace, here) ON CONFLICT DO NOTHING;
    END IF;
    -- Only one caller numbers events at a time. The next statements see what the previous caller numbered.
    SELECT * INTO stream FROM event_streams s WHERE s.workspace_id = workspace FOR UPDATE;
    next_xid := pg_snapshot_xmax(stream.seen::pg_snapshot)::text::bigint;
    late := ARRAY(SELECT x::text::bigint FROM pg_snapshot_xip(stream.seen::pg_snapshot) x);
    WITH fresh AS (
      SELECT e.place FROM events e WHERE stream.cluster = here AND e.workspace_id = workspace AND e.tx >= next_xid
      UNION ALL
      SELECT e.place FROM events e WHERE stream.cluster = here AND e.workspace_id = workspace AND e.tx = ANY(late)
        AND e.tx < next_xid
      UNION ALL
      SELECT e.place FROM events e
      LEFT JOIN (
        SELECT unnest(c.places) AS place FROM event_chunks c WHERE c.workspace_id = workspace
      ) numbered ON numbered.place = e.place
      WHERE stream.cluster <> here AND e.workspace_id = workspace AND numbered.place IS NULL
    ), settled AS (
      -- A transaction id from another cluster must not be mistaken for one of this cluster.
      UPDATE events e SET tx = 0
      WHERE stream.cluster <> here AND e.workspace_id = workspace
        AND e.tx >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    ), ordered AS (
      -- For one task, the order of `place` is the order of its changes, because each change locks the task's row.
      SELECT f.place, row_number() OVER (ORDER BY f.place) AS number FROM fresh f
    ), chunks AS (
      INSERT INTO event_chunks (workspace_id, last_position, places, tag)
      SELECT workspace, stream.last_position + max(o.number), array_agg(o.place ORDER BY o.number),
        floor(random() * 2147483648)::integer
      FROM ordered o GROUP BY (o.number - 1) / 1000
    )
    UPDATE event_streams s SET last_position = s.last_position + (SELECT count(*) FROM ordered),
      seen = pg_current_snapshot()::text, cluster = here
    WHERE s.workspace_id = workspace;
  END IF;
  SELECT s.last_position INTO last_position FROM event_streams s WHERE s.workspace_id = workspace;
  last_position := COALESCE(last_position, 0);
  SELECT c.tag INTO tag FROM event_chunks c
  WHERE c.workspace_id = workspace AND c.last_position = number_events.last_position;
  IF tag IS NULL THEN
    SELECT s.dropped_tag INTO tag FROM event_streams s WHERE s.workspace_id = workspace;
  END IF;
  tag := COALESCE(tag, 0);
END $$;

-- Returns the keys whose values are equal in both objects. Returns NULL if the objects are equal, and an empty
-- list if one object is NULL.
CREATE OR REPLACE FUNCTION same_keys(old jsonb, new jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN old IS NULL OR new IS NULL THEN '{}'::text[]
  WHEN old <> new THEN ARRAY(SELECT o.key FROM jsonb_each(old) o WHERE o.value = new -> o.key)
END;

-- Records a change of a task as an event. A writer identifies itself as JSON in the setting wts.origin of its
-- transaction; 'none' turns recording off. A statement that records its own rows calls records_itself().
CREATE OR REPLACE FUNCTION record_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told text := current_setting('wts.origin', true);
  -- Keys with unchanged values, or NULL if no value has changed. OLD is NULL for INSERT, and NEW is NULL for DELETE.
  same text[];
  from_stage integer := CASE WHEN OLD.stage_id IS DISTINCT FROM NEW.stage_id THEN OLD.stage_id END;
  to_stage integer := CASE WHEN OLD.stage_id IS DISTINCT FROM NEW.stage_id THEN NEW.stage_id END;
  from_assignee text := CASE WHEN OLD.assignee_id IS DISTINCT FROM NEW.assignee_id THEN OLD.assignee_id END;
  to_assignee text := CASE WHEN OLD.assignee_id IS DISTINCT FROM NEW.assignee_id THEN NEW.assignee_id END;
  more jsonb;
BEGIN
  IF told = 'none' OR current_setting('wts.recorded', true) = statement_timestamp()::text THEN RETURN NULL; END IF;
  same := CASE TG_OP WHEN 'UPDATE' THEN same_keys(OLD.field_values, NEW.field_values) ELSE '{}' END;
  IF TG_OP = 'UPDATE' AND OLD.unique_value IS DISTINCT FROM NEW.unique_value THEN
    more := jsonb_build_object('unique_from', OLD.unique_value);
  END IF;
  -- If this transaction has already recorded links of the task as an event, completes that event.
  IF current_setting('wts.open', true) = 'yes' THEN
    UPDATE events e SET type = TG_ARGV[0], is_open = false,
      version = COALESCE(NEW.version_offset + NEW.version, OLD.version_offset + OLD.version + 1),
      unique_value = CASE WHEN TG_OP = 'DELETE' THEN OLD.unique_value ELSE NEW.unique_value END,
      stage_from = from_stage, stage_to = to_stage, assignee_from = from_assignee, assignee_to = to_assignee,
      values_from = OLD.field_values - same, values_to = NEW.field_values - same, about = more
    WHERE e.workspace_id = COALESCE(NEW.workspace_id, OLD.workspace_id) AND e.task_id = COALESCE(NEW.id, OLD.id)
      AND e.is_open AND e.tx = pg_current_xact_id()::text::bigint;
    IF FOUND THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version,
    stage_from, stage_to, assignee_from, assignee_to, values_from, values_to, about)
  VALUES (COALESCE(NEW.workspace_id, OLD.workspace_id), TG_ARGV[0], NULLIF(told, ''),
    COALESCE(NEW.workflow_id, OLD.workflow_id), COALESCE(NEW.id, OLD.id), COALESCE(NEW.public_id, OLD.public_id),
    CASE WHEN TG_OP = 'DELETE' THEN OLD.unique_value ELSE NEW.unique_value END,
    COALESCE(NEW.version_offset + NEW.version, OLD.version_offset + OLD.version + 1),
    from_stage, to_stage, from_assignee, to_assignee, OLD.field_values - same, NEW.field_values - same, more);
  RETURN NULL;
END $$;

-- Returns true if the calling statement must record its own task changes, which record_task() then skips.
-- Returns false if recording is off. Also returns false if this transaction has recorded links, because
-- record_task() then merges the changes into the event of the links. The setting wts.recorded contains the start
-- time of the statement, so the setting does not apply to the next statement.
CREATE OR REPLACE FUNCTION records_itself() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' OR current_setting('wts.open', true) = 'yes' THEN RETURN false; END IF;
  PERFORM set_config('wts.recorded', statement_timestamp()::text, true);
  RETURN true;
END $$;

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

-- Records an event about a task. For a deleted task, copies ids and version from the task's last event.
CREATE OR REPLACE FUNCTION record_about(
  workspace integer, workflow integer, task bigint, kind text, by_origin text, what jsonb, old jsonb, new jsonb
) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version,
    about, values_from, values_to)
  SELECT workspace, kind, COALESCE(NULLIF(current_setting('wts.origin', true), ''), by_origin), workflow, task,
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

CREATE OR REPLACE FUNCTION record_item() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item checklist_items;
BEGIN
  IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN item := OLD; ELSE item := NEW; END IF;
  -- Records no event for an item that is deleted together with its task.
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

CREATE OR REPLACE FUNCTION record_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
  PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id, 'comment.created', NULL,
    jsonb_build_object('author', NEW.author_id, 'said_by', NEW.said_by, 'body', NEW.body, 'created_at', NEW.created_at)
      || CASE WHEN NEW.mentions IS NULL THEN '{}' ELSE jsonb_build_object('mentions', NEW.mentions) END, NULL, NULL);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id, 'message.failed', NEW.origin,
    jsonb_build_object('id', NEW.id, 'kind', NEW.kind, 'to', NEW.recipient, 'subject', NEW.subject,
      'cause', NEW.cause, 'tries', NEW.tries), NULL, NULL);
  RETURN NULL;
END $$;

-- Records a new or ended execution as an event. Also records the outcome in the run of the rule, clock,
-- schedule or timer that started the execution. The outcome is "unavailable" if the execution failed before
-- any step: a requirement was not met or the task was gone, for example. If no worker began the execution in
-- time, or if it was cancelled, the outcome is "failed".
CREATE OR REPLACE FUNCTION record_execution() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  what jsonb := jsonb_build_object('id', NEW.id, 'action', NEW.action_id, 'name', NEW.action_name,
    'performer', NEW.performer_id, 'status', NEW.status, 'errors', NEW.errors, 'outcomes', NEW.outcomes);
BEGIN
  IF NEW.status <> 'Pending' AND NEW.origin LIKE '%"cause":{%' THEN
    IF NEW.status = 'Fail' AND NEW.errors NOT IN (ARRAY['was not begun in time'], ARRAY['was cancelled'])
      AND NOT jsonb_path_exists(NEW.outcomes, '$[*] ? (@.status != "Skipped")') THEN
      what := what || '{"unavailable": true}';
    END IF;
    UPDATE runs SET because = CASE WHEN NEW.status = 'Fail' THEN NEW.errors[1] ELSE because END,
      result = CASE WHEN NEW.status = 'Success' THEN 'started' WHEN what ? 'unavailable' THEN 'unavailable' ELSE 'failed' END
    WHERE workspace_id = NEW.workspace_id AND execution_id = NEW.id;
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

CREATE OR REPLACE FUNCTION record_definition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (workspace_id, type, origin, about)
  VALUES (NEW.workspace_id, 'definition.applied',
    jsonb_strip_nulls(jsonb_build_object('definition', NEW.version, 'name', NEW.applied_by,
      'request', substring(current_setting('wts.origin', true) FROM '"request":"([^"]+)"'))),
    jsonb_build_object('version', NEW.version));
  RETURN NULL;
END $$;

-- Records that a user or webhook was created, changed or deleted, with the names of the changed columns. Arguments of
-- the trigger: the first word of the event's type, the columns to show, and the columns to compare.
CREATE OR REPLACE FUNCTION record_administration() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE old_row END;
  changed text[] := ARRAY(
    SELECT c FROM unnest(TG_ARGV[2]::text[]) c WHERE TG_OP = 'UPDATE' AND old_row -> c IS DISTINCT FROM new_row -> c
  );
  happened text := CASE
    WHEN TG_OP = 'INSERT' THEN 'created'
    WHEN TG_OP = 'DELETE' THEN 'deleted'
    WHEN 'active' = ANY(changed) THEN CASE WHEN (new_row ->> 'active')::boolean THEN 'reactivated' ELSE 'deactivated' END
    ELSE 'updated'
  END;
BEGIN
  IF current_setting('wts.origin', true) = 'none' OR TG_OP = 'UPDATE' AND changed = '{}' THEN RETURN NULL; END IF;
  INSERT INTO events (workspace_id, type, origin, about)
  SELECT (new_row ->> 'workspace_id')::integer, TG_ARGV[0] || '.' || happened,
    NULLIF(current_setting('wts.origin', true), ''),
    jsonb_object_agg(c, new_row -> c) || CASE WHEN TG_OP = 'UPDATE' THEN jsonb_build_object('changed', changed) ELSE '{}' END
  FROM unnest(TG_ARGV[1]::text[]) c;
  RETURN NULL;
END $$;
