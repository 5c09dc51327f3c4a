-- Returns true if the calling statement has to record its own task changes; record_task() then skips them. Returns
-- false if nothing is to be recorded, or if this transaction has recorded links before, which record_task() merges into
-- the same event. The marker is the start time of the statement, so it does not apply to the next one.
CREATE OR REPLACE FUNCTION records_itself() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' OR current_setting('wts.open', true) = 'yes' THEN RETURN false; END IF;
  PERFORM set_config('wts.recorded', statement_timestamp()::text, true);
  RETURN true;
END $$;
