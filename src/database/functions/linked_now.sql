-- VOLATILE, so that it takes its own snapshot: a statement that has just locked a task reads the tasks linked to it
-- now.
CREATE OR REPLACE FUNCTION linked_now(workspace integer, task bigint) RETURNS json
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT t.linked FROM linked_tasks(workspace, ARRAY[task]) t);
END $$;
