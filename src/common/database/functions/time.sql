-- The time of tasks, events and due work. It returns its argument, so that PostgreSQL can inline it; tests
-- move it ahead (WTS_CLOCK). Leases, deadlines, retries, sessions and keys use clock_timestamp().
CREATE OR REPLACE FUNCTION service_now(at timestamptz DEFAULT clock_timestamp()) RETURNS timestamptz LANGUAGE sql STABLE RETURN at;
