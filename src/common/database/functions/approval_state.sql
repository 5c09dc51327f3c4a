-- A hash of the parts of a task that an approval covers: the visit of the stage, values and files, sets of links, and
-- the values of linked tasks. The hash changes when one of them does.
CREATE OR REPLACE FUNCTION approval_state(workspace integer, workflow integer, task bigint, covers text[]) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT 'f_' || left(encode(sha256(convert_to(concat_ws(E'\n',
    t.id, COALESCE(t.stage_version, 1), t.stage_id,
    CASE WHEN '*' = ANY (covers) THEN t.field_values::text ELSE (
      SELECT jsonb_object_agg(part, t.field_values -> part)::text FROM unnest(covers) part WHERE t.field_values ? part
    ) END,
    CASE WHEN covers && ARRAY['*', '#'] THEN '#' || t.unique_value END,
    CASE WHEN '@' = ANY (covers) THEN '@' || t.assignee_id END,
    (
      SELECT string_agg(concat_ws(' ', l.side, o.public_id,
        CASE WHEN l.side = ANY (covers) THEN concat_ws(' ', o.unique_value, o.field_values::text) ELSE (
          SELECT jsonb_object_agg(f.part, CASE f.part WHEN '~' THEN to_jsonb(o.stage_id) WHEN '@' THEN to_jsonb(o.assignee_id)
            WHEN '#' THEN to_jsonb(o.unique_value) ELSE o.field_values -> f.part END)::text
          FROM (SELECT substr(part, length(l.side) + 2) AS part FROM unnest(covers) part
            WHERE starts_with(part, l.side || '/')) f
        ) END), E'\n' ORDER BY l.side, o.id)
      FROM (
        SELECT '>' || relationship_id AS side, to_workflow_id AS workflow_id, to_id AS id
        FROM links WHERE workspace_id = workspace AND from_id = task
        UNION ALL
        SELECT '<' || relationship_id, from_workflow_id, from_id FROM links WHERE workspace_id = workspace AND to_id = task
      ) l
      JOIN tasks o ON o.workspace_id = workspace AND o.workflow_id = l.workflow_id AND o.id = l.id
      WHERE '*' = ANY (covers) OR EXISTS (SELECT FROM unnest(covers) part WHERE split_part(part, '/', 1) = l.side)
    )
  ), 'UTF8')), 'hex'), 24)
  FROM tasks t WHERE t.workspace_id = workspace AND t.workflow_id = workflow AND t.id = task
$$;
