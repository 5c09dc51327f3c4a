-- Locks the definition of a workflow. If an origin is given, sets it for the change. Raises WTS01 if the
-- workspace has another version of the definition. The check is in a function, so that its snapshot is taken
-- after the lock is granted. The snapshot of the calling statement is older.
CREATE OR REPLACE FUNCTION assert_definition(workspace integer, workflow integer, known_version integer, origin text DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF origin IS NOT NULL THEN
    PERFORM set_config('wts.origin', origin, true);
  END IF;
  PERFORM pg_advisory_xact_lock_shared(workspace, workflow);
  IF NOT EXISTS (SELECT FROM workspaces WHERE id = workspace AND version = known_version) THEN
    RAISE EXCEPTION 'the definition has changed' USING ERRCODE = 'WTS01';
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION keep_former_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
  IF TG_ARGV[0] = 'stage' THEN
    INSERT INTO former_names VALUES (OLD.workspace_id, 'stage', OLD.id, OLD.name, OLD.is_end) ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO former_names VALUES (OLD.workspace_id, 'workflow', OLD.id, OLD.slug) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

-- Remembers the removed options of a field. A change of the field's type clears the list. The function is a
-- trigger, so that it also runs when an earlier definition is restored.
CREATE OR REPLACE FUNCTION remember_former_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.former_options := CASE WHEN NEW.type = OLD.type THEN ARRAY(
    SELECT option FROM unnest(
      OLD.former_options || ARRAY(SELECT json_array_elements_text(OLD.settings -> 'options'))
    ) WITH ORDINALITY former (option, place)
    WHERE (NEW.settings::jsonb -> 'options' ? option) IS NOT TRUE
    GROUP BY option ORDER BY min(place)
  ) ELSE '{}' END;
  RETURN NEW;
END $$;
