-- Returns the words of a text in upper case. Each word begins with the id of an index, so that one GIN index
-- serves all workflows. Words are separated by white space, control characters, punctuation and common symbols,
-- whatever the locale of the database. PostgreSQL's own text search parser would keep addresses and
-- hyphenated words whole.
CREATE OR REPLACE FUNCTION scoped_words(index integer, given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  array_remove(array_remove(string_to_array(regexp_replace(
    ' ' || fold_case(CASE WHEN octet_length(given) = length(given) THEN given ELSE normalize(given, NFC) END),
    '[[:space:][:cntrl:][:punct:]$+<=>^`|~¢-©¬®-±´¸×÷\u2000-\u2BFF\uFE00-\uFE0F\U0001F000-\U0001FAFF]+'
      COLLATE "und-x-icu",
    ' ' || index || ':', 'g'
  ), ' '), ''), index || ':');

-- Returns the words in the first 100,000 characters of the Unique ID and the text fields together. A lexeme can
-- have 2,046 bytes. Upper case can triple the bytes of a word, so a text of 600 bytes needs no check. In a longer
-- text, each word is cut at 400 characters.
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

-- Returns a query for tasks in which each given word is the beginning of some word.
CREATE OR REPLACE FUNCTION words_query(index integer, given text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  SELECT string_agg('''' || left(word, 400) || ''':*', ' & ')::tsquery FROM unnest(scoped_words(index, given)) word
);

-- Returns up to "most" matching tasks, in any order. The planner misjudges the selectivity of a word search, so the
-- settings allow only the GIN index.
CREATE OR REPLACE FUNCTION tasks_with_words(workspace integer, query tsquery, most bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
BEGIN
  RETURN QUERY
    SELECT w.task_id FROM task_words w WHERE w.workspace_id + 0 = workspace AND w.words @@ query LIMIT most;
END $$;
