-- The keys with equal values in both objects; NULL if the objects are equal, empty if one of them is NULL.
CREATE OR REPLACE FUNCTION same_keys(old jsonb, new jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN old IS NULL OR new IS NULL THEN '{}'::text[]
  WHEN old <> new THEN ARRAY(SELECT o.key FROM jsonb_each(old) o WHERE o.value = new -> o.key)
END;
