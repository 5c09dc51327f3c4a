-- A query for tasks that have, for each given word, a word that begins with it.
CREATE OR REPLACE FUNCTION words_query(index integer, given text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT string_agg('''' || left(word, 400) || ''':*', ' & ')::tsquery FROM unnest(scoped_words(index, given)) word
);
