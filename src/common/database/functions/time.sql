-- The time of tasks, events and due work, which tests can move ahead (WTS_CLOCK). The function returns its
-- argument, so that PostgreSQL can inline it. Leases, time limits, retries, sessions and keys use the real
-- time.
CREATE OR REPLACE FUNCTION service_now(at timestamptz DEFAULT clock_timestamp()) RETURNS timestamptz LANGUAGE sql STABLE RETURN at;
