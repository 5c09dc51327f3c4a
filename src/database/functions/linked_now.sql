-- Reads by a snapshot of its own: in the statement that has just locked a task, what is linked to it now.
CREATE OR REPLACE FUNCTION linked_now(workspace integer, task bigint) RETURNS json
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT t.linked FROM linked_tasks(workspace, ARRAY[task]) t);
END $$;
