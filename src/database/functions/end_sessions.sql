-- Who is deactivated and comes back signs in anew.
CREATE OR REPLACE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sessions WHERE workspace_id = NEW.workspace_id AND user_id = NEW.id;
  DELETE FROM sign_in_links WHERE workspace_id = NEW.workspace_id AND user_id = NEW.id;
  RETURN NULL;
END $$;
