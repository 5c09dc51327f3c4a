-- Folds case by Unicode, whatever the locale of the database; to upper case, because ß and ς have no single lower-case
-- form.
CREATE OR REPLACE FUNCTION fold_case(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(given COLLATE "und-x-icu");
