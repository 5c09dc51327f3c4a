-- Removes the event id from the origin and returns it: only one event may use it.
CREATE OR REPLACE FUNCTION take_event_id() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  origin text := current_setting('wts.origin', true);
BEGIN
  IF origin ~ '^[0-9a-f]{8}-' THEN
    PERFORM set_config('wts.origin', substr(origin, 37), true);
    RETURN left(origin, 36)::uuid;
  END IF;
  RETURN gen_random_uuid();
END $$;
