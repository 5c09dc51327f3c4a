-- The user who made a change; for a change by a rule, the user who triggered the rule. The origin is matched as text,
-- because a client that writes by SQL may have set it to anything.
CREATE OR REPLACE FUNCTION author_of(origin text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(substring(origin FROM '"initiator":"([^"]+)"'), substring(origin FROM '"user":"([^"]+)"'))
$$;
