import { Invalid } from './invalid.js';

/**
 * A file's name, not a path, unchanged, or why it is refused; 255 bytes of UTF-8 at most, as file systems have it.
 * Marks of direction are kept, for names in right-to-left scripts hold them: whoever shows a name isolates it.
 */
export function checkFilename(text: string): string | Invalid {
  if (text === '') return new Invalid('is empty');
  if (text.length > 255 || Buffer.byteLength(text) > 255) return new Invalid('is longer than 255 bytes');
  if (!text.isWellFormed()) return new Invalid('contains a character that cannot be stored');
  if (/\p{Control}/u.test(text)) return new Invalid('contains a control character');
  if (/[/\\]/.test(text) || text === '.' || text === '..') return new Invalid('is a path, not a name');
  return text;
}
