import { weaker, whenHigher, whenLower } from './weaker.js';
import Type from 'typebox';
import { Invalid, type SettingFault } from './invalid.js';
import { type Message, say } from '../../common/message.js';

/** The settings `min` and `max`, for types of fields whose values have an order. */
export const boundSettings = {
  min: bound('Min', 'least', 1, whenLower),
  max: bound('Max', 'greatest', 500, whenHigher()),
};

function bound(title: string, which: string, example: number, word: typeof whenLower) {
  return Type.Optional(
    Type.Unsafe<string>({
      ...weaker(word),
      title,
      description: `The ${which} value: a number, a date or an instant. Stored values beyond this bound stay until they are changed.`,
      type: ['string', 'number'],
      maxLength: 100,
      examples: [example],
    }),
  );
}

interface Bounds {
  readonly min?: string;
  readonly max?: string;
}

/** How ordered values are parsed and compared, and the messages for values beyond a bound. */
interface Ordered {
  readonly read: (text: string) => string | Invalid;
  /** Returns less than 0 if `one` comes before `other`. */
  readonly compare: (one: string, other: string) => number;
  readonly words: { readonly [bound in 'min' | 'max']: (bound: string) => Message };
}

export function bounded({ read, compare, words }: Ordered) {
  /** Whether the value is beyond the bound. `side` is -1 for a minimum, and 1 for a maximum. */
  const isBeyond = (value: string, bound: string | undefined, side: -1 | 1): boolean => {
    const limit = bound === undefined ? undefined : read(bound);
    return limit !== undefined && !(limit instanceof Invalid) && compare(value, limit) * side > 0;
  };
  return {
    validate(value: string, { min, max }: Bounds): Invalid | undefined {
      if (isBeyond(value, min, -1)) return new Invalid(words.min(min ?? ''));
      return isBeyond(value, max, 1) ? new Invalid(words.max(max ?? '')) : undefined;
    },
    settingFaults({ min, max }: Bounds): SettingFault[] {
      const limits = Object.entries({ min, max }).map(([key, text]) => ({
        key,
        limit: text === undefined ? undefined : read(text),
      }));
      const faults = limits.flatMap(({ key, limit }) =>
        limit instanceof Invalid ? [{ key, message: limit.message }] : [],
      );
      const most = limits[1]?.limit;
      const isEmpty = typeof most === 'string' && isBeyond(most, min, -1);
      return isEmpty ? [{ key: 'max', message: `comes before min: ${min ?? ''}` }] : faults;
    },
  };
}

/** Compares canonical days or instants as texts: all texts of one type have the same length. */
export const times: Pick<Ordered, 'compare' | 'words'> = {
  compare: (one, other) => (one < other ? -1 : Number(one > other)),
  words: {
    min: (bound) => say`must not be before ${bound}`,
    max: (bound) => say`must not be after ${bound}`,
  },
};
