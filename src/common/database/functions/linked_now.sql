-- VOLATILE, so that a statement that has just locked a task reads what is linked to it now, in a new snapshot.
CREATE OR REPLACE FUNCTION linked_now(workspace integer, task bigint) RETURNS json
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT t.linked FROM seen_linked_tasks(workspace, ARRAY[task], NULL, NULL, NULL) t);
END $$;
