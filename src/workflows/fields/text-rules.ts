import { isBlankText, isStorable, isTrimmed } from '../../common/text.js';
import { weaker, whenChanged, whenHigher } from './weaker.js';
import { Invalid, type SettingFault } from './invalid.js';
import { toNfc } from '../../../packages/exact-json/nfc.js';
import Type from 'typebox';
import { compilePattern, type Pattern, PatternError } from '../../common/pattern.js';
import { say } from '../../common/message.js';

/**
 * Returns the text in NFC, or why the text is refused: it has more than `limit` code points, a control
 * character that `control` matches, or a character that cannot be stored.
 */
export function keepText(given: string, limit: number, control?: RegExp): string | Invalid {
  const text = toNfc(given);
  if (isLonger(text, limit))
    return new Invalid(say`is longer than ${limit.toLocaleString('en-US')} characters`);
  if (control?.test(text)) return new Invalid('contains a control character');
  if (!isStorable(text)) return new Invalid('contains a character that cannot be stored');
  return text;
}

/** Whether a text has more than `limit` code points. Stops counting when the answer is known. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let spare = text.length - limit;
  // The second half of a surrogate pair does not count as a code point.
  for (let at = 1; at < text.length && spare > 0; at += 1)
    if ((text.codePointAt(at - 1) ?? 0) > 0xffff) spare -= 1;
  return spare > 0;
}

/** The faults of a name or of another one-line text. */
export function nameFaults(name: string, longest = 100): string[] {
  return [
    ...(isBlankText(name) ? ['is empty'] : []),
    ...(Array.from(name).length > longest ? [`is longer than ${longest} characters`] : []),
    ...(!isTrimmed(name) && !isBlankText(name) ? ['begins or ends with white space'] : []),
    ...(/\p{Control}/u.test(name) ? ['contains a control character'] : []),
    ...(/\p{Surrogate}/u.test(name) ? ['holds an unpaired surrogate'] : []),
  ];
}

/** The positions of texts that repeat an earlier text; empty texts are ignored. */
export function repeatedAt(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, at) => {
    const isRepeated = text !== '' && seen.has(text);
    seen.add(text);
    return isRepeated ? [at] : [];
  });
}

export const textRuleSettings = {
  pattern: Type.Optional(
    Type.String({
      ...weaker(whenChanged),
      title: 'Pattern',
      description:
        'A regular expression in RE2 syntax that the value, or a part of it, must match; ^ and $ stand for the ends. Stored values that do not match stay until they are changed.',
      minLength: 1,
      maxLength: 500,
      examples: ['^[A-Z]{2}-[0-9]{4}$'],
    }),
  ),
  max_length: Type.Optional(
    Type.Integer({
      ...weaker(whenHigher()),
      title: 'Max length',
      description: 'The maximum number of characters. Longer stored values stay until they are changed.',
      minimum: 1,
      maximum: 200_000,
    }),
  ),
};

interface TextRules {
  readonly pattern?: string;
  readonly max_length?: number;
}

export function textRules(longest: number) {
  return {
    validate(text: string, { pattern, max_length = longest }: TextRules): Invalid | undefined {
      if (isLonger(text, max_length)) return new Invalid(say`is longer than ${shown(max_length)} characters`);
      const compiled = pattern === undefined ? undefined : patternOf(pattern);
      const fits = compiled === undefined || compiled instanceof Invalid || compiled.isIn(text);
      return fits ? undefined : new Invalid(say`does not match the pattern ${pattern ?? ''}`);
    },
    settingFaults({ pattern, max_length = longest }: TextRules): SettingFault[] {
      if (pattern === undefined) return [];
      const compiled = patternOf(pattern);
      if (compiled instanceof Invalid) return [{ key: 'pattern', message: compiled.message }];
      const most = Math.min(longest, max_length);
      if (compiled.instructions * most <= MAX_STEPS) return [];
      const message = `is too large for texts of ${shown(most)} characters: set a smaller max_length`;
      return [{ key: 'pattern', message }];
    },
  };
}

// The number of a pattern's instructions, multiplied by the length of the text, must not exceed this limit.
// Checking one value then blocks the event loop for at most 10 ms.
const MAX_STEPS = 1_000_000;

const shown = (count: number): string => count.toLocaleString('en-US');

function patternOf(source: string): Pattern | Invalid {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) return new Invalid(error.message);
    throw error;
  }
}
