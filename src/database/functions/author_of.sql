-- The user whose change an event tells: what a rule has changed counts as the change of whoever led to it. Read as text, since
-- whoever writes by SQL may have said anything.
CREATE OR REPLACE FUNCTION author_of(origin text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(substring(origin FROM '"initiator":"([^"]+)"'), substring(origin FROM '"user":"([^"]+)"'))
$$;
