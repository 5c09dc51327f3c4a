-- Deletes the sign-in links of a deactivated or reactivated user. If the user was reactivated, also deletes the
-- sessions, so that the user has to sign in again.
CREATE OR REPLACE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sign_in_links WHERE workspace_id = NEW.workspace_id AND user_id = NEW.id;
  IF NEW.active THEN
    DELETE FROM sessions WHERE workspace_id = NEW.workspace_id AND user_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
