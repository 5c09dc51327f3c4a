-- The parts of a task that an event has changed, named as approvals name them: a field or file by the field's id, links
-- by their side, # the Unique ID, @ the assignee, ~ the stage. On Citus the type of an event is that of its shard.
DROP FUNCTION IF EXISTS changed_parts(events);
CREATE OR REPLACE FUNCTION changed_parts(event anyelement) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (
    SELECT COALESCE(array_agg(part), '{}') FROM (
      SELECT jsonb_object_keys(COALESCE(event.values_from, '{}') || COALESCE(event.values_to, '{}')) AS part
      UNION
      SELECT link ->> 0 FROM jsonb_array_elements(COALESCE(event.links, '[]')) link
      UNION ALL
      SELECT '#' WHERE event.about ? 'unique_from'
      UNION ALL
      SELECT '@' WHERE event.assignee_from IS DISTINCT FROM event.assignee_to
      UNION ALL
      SELECT '~' WHERE event.stage_to IS NOT NULL
    ) changed
  );
END $$;
