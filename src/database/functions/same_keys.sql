-- The keys whose values are the same in both; NULL where nothing differs at all, and none where there was nothing before.
CREATE OR REPLACE FUNCTION same_keys(old jsonb, new jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN old IS NULL OR new IS NULL THEN '{}'::text[]
  WHEN old <> new THEN ARRAY(SELECT o.key FROM jsonb_each(old) o WHERE o.value = new -> o.key)
END;
