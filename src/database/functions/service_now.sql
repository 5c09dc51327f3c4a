-- The clock for tasks, events and everything that becomes due. This version returns its argument, so that PostgreSQL
-- can inline the call; tests replace it with one that runs ahead (WTS_CLOCK). Leases, deadlines, retries, sessions and
-- keys use clock_timestamp().
CREATE OR REPLACE FUNCTION service_now(at timestamptz DEFAULT clock_timestamp()) RETURNS timestamptz LANGUAGE sql STABLE RETURN at;
