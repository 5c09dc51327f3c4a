import { type WordSearch } from './condition.js';
import { Invalid } from './invalid.js';
import { type TaskSchema } from './task-schema.js';
import { keepText } from './text-rules.js';

/** Reads the parameter `_search`: words that tasks are to have. */
export function parseSearch({ isSearched }: TaskSchema, given: string): WordSearch[] | Invalid {
  if (!isSearched) return new Invalid('is only for workflows whose definition says search: true');
  const text = keepText(given, MAX_CHARACTERS);
  if (text instanceof Invalid) return text;
  const count = text
    .normalize('NFC')
    .split(separators)
    .filter((word) => word !== '').length;
  if (count === 0) return new Invalid('holds no word');
  if (count > MAX_WORDS) return new Invalid(`holds more than ${MAX_WORDS} words`);
  return [{ is: 'search', subject: { of: 'words' }, text }];
}

/** Each word is looked for by itself. */
const MAX_WORDS = 10;
const MAX_CHARACTERS = 200;

/** What stands between words, as the function `scoped_words` of the database has it. */
export const separators =
  /[\p{Z}\p{Cc}\p{P}$+<=>^`|~¢-©¬®-±´¸×÷\u2000-\u2bff\ufe00-\ufe0f\u{1f000}-\u{1faff}]+/u;
