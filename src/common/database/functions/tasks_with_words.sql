-- Returns up to "most" tasks, in no order. The planner misjudges the selectivity of a word search, so the settings
-- leave it only the GIN index.
CREATE OR REPLACE FUNCTION tasks_with_words(workspace integer, query tsquery, most bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
BEGIN
  RETURN QUERY
    SELECT w.task_id FROM task_words w WHERE w.workspace_id + 0 = workspace AND w.words @@ query LIMIT most;
END $$;
