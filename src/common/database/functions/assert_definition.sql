-- Locks the definition of a workflow, sets the origin of the change, if any, and raises WTS01 if the workspace has another
-- version of the definition. The check is in a function so that it takes its snapshot after the lock is granted; the
-- snapshot of the calling statement is older.
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
