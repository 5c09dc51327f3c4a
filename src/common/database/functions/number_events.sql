-- Numbers the events committed since the last call. Returns the last position and its tag.
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
  -- Usually there is no new event, and no lock is needed to see that.
  IF stream.cluster IS DISTINCT FROM here
    OR (SELECT e.tx FROM events e WHERE e.workspace_id = workspace ORDER BY e.tx DESC LIMIT 1) >= next_xid
    OR EXISTS (SELECT FROM events e WHERE e.workspace_id = workspace AND e.tx = ANY(late))
  THEN
    IF stream.workspace_id IS NULL THEN
      INSERT INTO event_streams (workspace_id, cluster) VALUES (workspace, here) ON CONFLICT DO NOTHING;
    END IF;
    -- One caller numbers at a time. The next statement's new snapshot shows what the previous caller has numbered.
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
      -- `place` has the order of the changes of one task, because each change holds the lock of the task's row.
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
