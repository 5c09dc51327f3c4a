-- 16 characters that stand for 90 random bits: no id tells how many there are.
CREATE OR REPLACE FUNCTION random_id() RETURNS text LANGUAGE sql VOLATILE RETURN
  translate(encode(substring(uuid_send(gen_random_uuid()) FROM 1 FOR 12), 'base64'), '+/', '-_');
