-- The time of tasks, of events and of all that is due by them. Here it is the time that is given, so that PostgreSQL puts that in the
-- place of a call; tests let it be ahead (WTS_CLOCK). Leases, deadlines, retries, sessions and keys go by clock_timestamp().
CREATE OR REPLACE FUNCTION service_now(at timestamptz DEFAULT clock_timestamp()) RETURNS timestamptz LANGUAGE sql STABLE RETURN at;
