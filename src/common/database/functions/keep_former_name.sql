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
