-- 16 characters with 90 random bits. An id does not tell how many others exist.
CREATE OR REPLACE FUNCTION random_id() RETURNS text LANGUAGE sql VOLATILE RETURN
  translate(encode(substring(uuid_send(gen_random_uuid()) FROM 1 FOR 12), 'base64'), '+/', '-_');
