-- The words of a text in upper case, each prefixed with the id of an index, so that one GIN index serves all workflows.
-- Words are separated by white space, punctuation and symbols as Unicode defines them, whatever the locale of the
-- database. The text search parser of PostgreSQL is not used, because it keeps addresses and hyphenated words whole.
CREATE OR REPLACE FUNCTION scoped_words(index integer, given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  array_remove(array_remove(string_to_array(regexp_replace(
    ' ' || fold_case(CASE WHEN octet_length(given) = length(given) THEN given ELSE normalize(given, NFC) END),
    '[[:space:][:cntrl:][:punct:]$+<=>^`|~¢-©¬®-±´¸×÷\u2000-\u2BFF\uFE00-\uFE0F\U0001F000-\U0001FAFF]+'
      COLLATE "und-x-icu",
    ' ' || index || ':', 'g'
  ), ' '), ''), index || ':');
