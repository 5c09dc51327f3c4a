-- The time by which schedules and timers are due. Leases and deadlines go by clock_timestamp(), so that a test may move this.
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql VOLATILE RETURN clock_timestamp();
