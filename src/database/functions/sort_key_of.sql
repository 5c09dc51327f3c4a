-- A text that stands by code point where the value stands: what a text begins with; of a decimal its sign, the
-- number of digits before the point and the digits, turned round below zero; the value itself where a list says
-- the order. Blank is the empty text. Other kinds of values, which a field may hold on its way to another type,
-- give some text too.
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
