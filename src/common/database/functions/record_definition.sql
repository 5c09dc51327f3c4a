CREATE OR REPLACE FUNCTION record_definition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (workspace_id, id, type, origin, about)
  VALUES (NEW.workspace_id, take_event_id(), 'definition.applied',
    jsonb_strip_nulls(jsonb_build_object('definition', NEW.version, 'name', NEW.applied_by,
      'request', substring(current_setting('wts.origin', true) FROM '"request":"([^"]+)"'))),
    jsonb_build_object('version', NEW.version));
  RETURN NULL;
END $$;
