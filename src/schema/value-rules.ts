import Type from 'typebox';
import { compilePattern, type Pattern, PatternError } from '../lib/pattern.js';
import { type SettingFault } from './field-type.js';
import { Invalid } from './invalid.js';
import { isLonger } from './text-rules.js';

/** What a definition may demand of the values of a type of text. */
export const textRuleSettings = {
  pattern: Type.Optional(
    Type.String({
      title: 'Pattern',
      description:
        'A regular expression in RE2 syntax that a value must match, or a part of it: ^ and $ are its ends. Stored values that do not may stay until they are changed.',
      minLength: 1,
      maxLength: 500,
      examples: ['^[A-Z]{2}-[0-9]{4}$'],
    }),
  ),
  max_length: Type.Optional(
    Type.Integer({
      title: 'Max length',
      description:
        'The most characters of a value. Longer ones that are stored may stay until they are changed.',
      minimum: 1,
      maximum: 1_000_000,
    }),
  ),
};

interface TextRules {
  readonly pattern?: string;
  readonly max_length?: number;
}

/** How these rules are kept by a type whose texts have at most so many characters. */
export function textRules(longest: number) {
  return {
    validate(text: string, { pattern, max_length = longest }: TextRules): Invalid | undefined {
      if (isLonger(text, max_length)) return new Invalid(`is longer than ${shown(max_length)} characters`);
      const compiled = pattern === undefined ? undefined : patternOf(pattern);
      const fits = compiled === undefined || compiled instanceof Invalid || compiled.isIn(text);
      return fits ? undefined : new Invalid(`does not match the pattern ${pattern ?? ''}`);
    },
    settingFaults({ pattern, max_length = longest }: TextRules): SettingFault[] {
      if (pattern === undefined) return [];
      const compiled = patternOf(pattern);
      if (compiled instanceof Invalid) return [{ key: 'pattern', message: compiled.message }];
      const most = Math.min(longest, max_length);
      if (compiled.instructions * most <= MAX_STEPS) return [];
      const message = `is too large for texts of ${shown(most)} characters: say a smaller max_length`;
      return [{ key: 'pattern', message }];
    },
    narrows: (from: TextRules, to: TextRules): boolean =>
      (to.max_length ?? longest) < (from.max_length ?? longest) ||
      (to.pattern !== undefined && to.pattern !== from.pattern),
  };
}

// Instructions times characters, which take 10 ms at most: so long may one value hold up others.
const MAX_STEPS = 1_000_000;

const shown = (count: number): string => count.toLocaleString('en-US');

/** A pattern that is compiled once for as long as it is in use, or why it cannot be. */
function patternOf(source: string): Pattern | Invalid {
  const pattern = known.get(source) ?? compiled(source);
  // What was used last stands last.
  known.delete(source);
  known.set(source, pattern);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return pattern;
}

const known = new Map<string, Pattern | Invalid>();
// As many as a workflow may have fields, of some 64 kB each at most: with fewer, a task of more would compile all each time.
const MAX_KNOWN = 1000;

function compiled(source: string): Pattern | Invalid {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) return new Invalid(error.message);
    throw error;
  }
}
