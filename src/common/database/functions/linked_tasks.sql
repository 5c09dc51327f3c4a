-- The linked tasks of each given task, for a viewer who sees all tasks.
CREATE OR REPLACE FUNCTION linked_tasks(workspace integer, tasks bigint[]) RETURNS TABLE (task bigint, linked json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM seen_linked_tasks(workspace, tasks, NULL, NULL, NULL);
END $$;
