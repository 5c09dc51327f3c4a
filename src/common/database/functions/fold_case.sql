-- Folds by Unicode, whatever the database's locale; to upper case, because ß and ς have no single lower case.
CREATE OR REPLACE FUNCTION fold_case(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(given COLLATE "und-x-icu");
