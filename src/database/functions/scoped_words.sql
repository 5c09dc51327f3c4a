-- The words of a text, in upper case, each behind the id of an index, so that one GIN index keeps those of all
-- workflows apart. Between words stand white space, punctuation and symbols: what Unicode says of these, whatever the
-- locale of the database. The parser of PostgreSQL would keep addresses and words with hyphens in one.
CREATE OR REPLACE FUNCTION scoped_words(index integer, given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  array_remove(array_remove(string_to_array(regexp_replace(
    ' ' || fold_case(CASE WHEN octet_length(given) = length(given) THEN given ELSE normalize(given, NFC) END),
    '[[:space:][:cntrl:][:punct:]$+<=>^`|~¢-©¬®-±´¸×÷\u2000-\u2BFF\uFE00-\uFE0F\U0001F000-\U0001FAFF]+'
      COLLATE "und-x-icu",
    ' ' || index || ':', 'g'
  ), ' '), ''), index || ':');
