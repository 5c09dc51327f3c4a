-- So many tasks at most, in no order. The planner takes a search for more selective than it may be, or less: here it has
-- no choice but the GIN index.
CREATE OR REPLACE FUNCTION tasks_with_words(workspace integer, query tsquery, most bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
BEGIN
  RETURN QUERY
    SELECT w.task_id FROM task_words w WHERE w.workspace_id + 0 = workspace AND w.words @@ query LIMIT most;
END $$;
