-- Returns one row for each given task, with an array of its linked tasks in order of creation. Each element
-- begins with '>5' if the given task is at the "from" end of relationship 5, or with '<5' if at the "to"
-- end. The array is NULL if the task has more than 5,000 links. It is also NULL if the task has links and the
-- preceding tasks have at least 5,000 links in total. Finally, it is NULL if the values in this array and in the
-- preceding arrays exceed 2 MB. The viewer sees all tasks of the workflows in "whole". In the workflows of
-- "assigned", the viewer sees the tasks that are assigned to the viewer. If "whole" is NULL, the viewer sees
-- all tasks.
CREATE OR REPLACE FUNCTION seen_linked_tasks(
  workspace integer, tasks bigint[], whole integer[], assigned integer[], viewer text
) RETURNS TABLE (task bigint, linked json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  WITH near AS MATERIALIZED (
    SELECT n.id, n.place, c.links, sum(c.links) OVER (ORDER BY n.place) - c.links AS preceding
    FROM unnest(tasks) WITH ORDINALITY n (id, place)
    CROSS JOIN LATERAL (
      SELECT count(*) AS links FROM (
        SELECT FROM links l WHERE l.workspace_id = workspace AND l.from_id = n.id
        UNION ALL
        SELECT FROM links l WHERE l.workspace_id = workspace AND l.to_id = n.id
        LIMIT 5001
      ) l
    ) c
  ), far AS (
    SELECT n.place, l.side, o.*,
      sum(pg_column_size(o.field_values)) OVER (ORDER BY n.place, o.id, l.side) AS bytes
    FROM near n
    CROSS JOIN LATERAL (
      SELECT '>' || l.relationship_id AS side, l.to_workflow_id AS workflow_id, l.to_id AS id
      FROM links l WHERE l.workspace_id = workspace AND l.from_id = n.id
      UNION ALL
      SELECT '<' || l.relationship_id, l.from_workflow_id, l.from_id
      FROM links l WHERE l.workspace_id = workspace AND l.to_id = n.id
    ) l
    JOIN tasks o ON o.workspace_id = workspace AND o.workflow_id = l.workflow_id AND o.id = l.id
    WHERE n.links <= 5000 AND n.preceding < 5000
      AND (whole IS NULL OR o.workflow_id = ANY(whole) OR (o.workflow_id = ANY(assigned) AND o.assignee_id = viewer))
  )
  SELECT n.id, CASE
    WHEN n.links = 0 THEN '[]'::json
    WHEN n.links <= 5000 AND n.preceding < 5000 AND COALESCE(max(f.bytes), 0) <= 2000000 THEN COALESCE(
      json_agg(
        json_build_array(
          f.side, f.public_id, f.unique_value, f.stage_id, f.assignee_id, f.version, f.field_values,
        round(date_part('epoch', f.updated_at) * 1000), f.due_at
        ) ORDER BY f.id
      ) FILTER (WHERE f.bytes <= 2000000),
      '[]'
    )
  END
  FROM near n LEFT JOIN far f ON f.place = n.place
  GROUP BY n.id, n.place, n.links, n.preceding;
END $$;

-- VOLATILE, so that a statement that has just locked a task reads the current links in a new snapshot.
CREATE OR REPLACE FUNCTION linked_now(workspace integer, task bigint) RETURNS json
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT t.linked FROM seen_linked_tasks(workspace, ARRAY[task], NULL, NULL, NULL) t);
END $$;
