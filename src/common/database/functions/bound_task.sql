-- Rejects task values of more than 1 MB of JSON, unless the values they replace are at least as large. The error names
-- the former CHECK constraint, which processes of version 0.2 recognize.
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
