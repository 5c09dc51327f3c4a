-- The words of the Unique ID and the text fields: of 100,000 characters, 400 per word (a lexeme has 2,046 bytes).
CREATE OR REPLACE FUNCTION words_of(index integer, text_fields text[], unique_value text, field_values jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT array_to_tsvector(
    CASE WHEN octet_length(given) <= 600 THEN scoped_words(index, given)
    ELSE ARRAY(SELECT left(word, 400) FROM unnest(scoped_words(index, given)) word) END
  )
  FROM (
    SELECT left(concat_ws(' ', unique_value, (
      SELECT string_agg(value, ' ') FROM jsonb_each_text(field_values) WHERE key = ANY (text_fields)
    )), 100000) AS given OFFSET 0
  ) texts
);
