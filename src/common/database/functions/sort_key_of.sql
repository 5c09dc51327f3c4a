-- A text whose order by code point is the order of the values. For a text, its beginning; for a decimal, the sign, the
-- number of digits before the point, and the digits, each inverted if negative; for a field whose order a list defines,
-- the value itself. A blank value gives the empty text. Values of other kinds, which occur while a field changes its
-- type, give some text.
CREATE OR REPLACE FUNCTION sort_key_of(value text, kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE
    WHEN value IS NULL THEN ''
    WHEN kind <> 'number' THEN left(value, CASE kind WHEN 'exact' THEN 255 ELSE 200 END)
    WHEN starts_with(value, '-') THEN '0' || translate(
      left(lpad((strpos(value || '.', '.') - 2)::text, 2, '0') || replace(substr(value, 2), '.', ''), 100),
      '0123456789', '9876543210'
    ) || '~'
    ELSE '1' || left(lpad((strpos(value || '.', '.') - 1)::text, 2, '0') || replace(value, '.', ''), 100)
  END;
