/** A message of the API, and how another language says it: `…` stands for what differs, on both sides in one order. */
export type Saying = readonly [english: string, translated: string];

/** A message in the reader's words, where these know it. */
export interface Said {
  readonly text: string;
  /** Where it stayed as the API says it. */
  readonly lang?: 'en';
}

/** Finds what messages mean. The name of a field may stand before each: `Amount is required`. */
export function translator(sayings: readonly Saying[]): (message: string) => Said {
  const known = sayings.map(([english, translated]) => ({
    pattern: patternOf(english),
    pieces: translated.split('…'),
  }));
  return (message) => {
    if (message.length > MAX_MESSAGE) return { text: message, lang: 'en' };
    for (const { pattern, pieces } of known) {
      const found = pattern.exec(message);
      if (!found) continue;
      const [, name = '', ...differing] = found;
      return { text: name + pieces.map((piece, at) => piece + (differing[at] ?? '')).join('') };
    }
    return { text: message, lang: 'en' };
  };
}

function patternOf(english: string): RegExp {
  const pieces = english.split('…').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^(.{0,${MAX_NAME}} )??${pieces.join('(.+)')}$`, 'su');
}

/** A longer name is no field's, and what is longer shows all that somebody has sent. */
const MAX_NAME = 200;
const MAX_MESSAGE = 2000;
