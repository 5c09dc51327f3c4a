-- Follows the rules of Unicode in every locale of the database; upper case, because ß and ς have no one lower case.
CREATE OR REPLACE FUNCTION fold_case(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(given COLLATE "und-x-icu");
