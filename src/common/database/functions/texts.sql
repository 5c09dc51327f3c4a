-- Returns 16 characters with 90 random bits. An id does not reveal the number of other ids.
CREATE OR REPLACE FUNCTION random_id() RETURNS text LANGUAGE sql VOLATILE RETURN
  translate(encode(substring(uuid_send(gen_random_uuid()) FROM 1 FOR 12), 'base64'), '+/', '-_');

-- Folds case by Unicode, whatever the database's locale. Upper case makes ß equal to ss, and ς equal to σ.
CREATE OR REPLACE FUNCTION fold_case(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(given COLLATE "und-x-icu");
