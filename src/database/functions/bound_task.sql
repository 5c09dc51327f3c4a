-- Refuses values of a task that take more than 1 MB as JSON, unless they replace values that take at least as much.
-- The error has the name of the constraint that bounded tasks before, so that processes of version 0.2 understand it.
CREATE OR REPLACE FUNCTION bound_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  size integer := octet_length(NEW.field_values::text);
BEGIN
  IF size <= 1048576 OR TG_OP = 'UPDATE' AND size <= octet_length(OLD.field_values::text) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the values of the task take % bytes', size
    USING ERRCODE = 'check_violation', CONSTRAINT = 'tasks_size';
END $$;
