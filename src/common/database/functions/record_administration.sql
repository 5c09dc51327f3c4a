-- Records that a user or webhook was created, changed or deleted, with the names of the changed columns. Arguments of
-- the trigger: the name of the kind, the columns to show, and the columns to compare.
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
  INSERT INTO events (workspace_id, id, type, origin, about)
  SELECT (new_row ->> 'workspace_id')::integer, take_event_id(), TG_ARGV[0] || '.' || happened,
    NULLIF(current_setting('wts.origin', true), ''),
    jsonb_object_agg(c, new_row -> c) || CASE WHEN TG_OP = 'UPDATE' THEN jsonb_build_object('changed', changed) ELSE '{}' END
  FROM unnest(TG_ARGV[1]::text[]) c;
  RETURN NULL;
END $$;
