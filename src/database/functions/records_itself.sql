-- Whether a statement that asks this records the tasks that it changes itself, so that record_task() leaves them to it. It
-- does not where nothing is to be recorded, and where the same transaction has recorded links of a task before, which
-- record_task() makes one event with. The mark is the time at which the statement began: the next one has another.
CREATE OR REPLACE FUNCTION records_itself() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' OR current_setting('wts.open', true) = 'yes' THEN RETURN false; END IF;
  PERFORM set_config('wts.recorded', statement_timestamp()::text, true);
  RETURN true;
END $$;
