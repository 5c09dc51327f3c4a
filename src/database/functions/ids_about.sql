-- The ids of the last task of the workflow created before an instant and of the first one created after it; 0 and the
-- largest bigint where there is none. Ids rise with time, except for small overlaps, so bisection finds them without an
-- index.
CREATE OR REPLACE FUNCTION ids_about(workspace integer, workflow integer, instant timestamptz, OUT below bigint, OUT above bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  high bigint;
  middle bigint;
  found record;
BEGIN
  SELECT COALESCE(min(id), 1) - 1, COALESCE(max(id), 0) INTO below, high
  FROM tasks WHERE workspace_id = workspace AND workflow_id = workflow;
  above := 9223372036854775807;
  WHILE below < high LOOP
    middle := below + (high - below + 1) / 2;
    SELECT id, created_at INTO found FROM tasks
    WHERE workspace_id = workspace AND workflow_id = workflow AND id >= middle ORDER BY id LIMIT 1;
    IF found.created_at < instant THEN
      below := found.id;
    ELSE
      above := found.id;
      high := middle - 1;
    END IF;
  END LOOP;
END $$;
