/** The colours that follow from an accent, in light and in dark, each as CSS has it. */
export interface AccentColours {
  /** What buttons and rings are, and what stands on buttons. */
  readonly accent: string;
  readonly on: string;
  /** A button that is pointed at. */
  readonly strong: string;
  readonly text: string;
  readonly soft: string;
}

/** What an accent has to be seen on: the darkest of the light grounds, the lightest of the dark ones (tokens.css). */
const grounds = { light: '#f0f0f4', dark: '#212327' };
const white = '#ffffff';
const black = '#000000';

/**
 * The colours of an accent (`#rrggbb`). Where it is too pale, or too dark, it is changed as little as WCAG 2.2 AA wants: 3:1 for
 * what is no text, 4.5:1 for text, which on buttons is white, or black where that is not to be read.
 */
export function coloursOf(accent: string, scheme: 'light' | 'dark'): AccentColours {
  const away = scheme === 'light' ? black : white;
  const seen = until(accent, away, (colour) => contrast(colour, grounds[scheme]) >= 3);
  const on = contrast(white, seen) >= 4.5 ? white : black;
  const soft = mix(grounds[scheme], accent, scheme === 'light' ? 0.1 : 0.2);
  const isText = (colour: string): boolean =>
    contrast(colour, grounds[scheme]) >= 4.5 && contrast(colour, soft) >= 4.5;
  return {
    accent: seen,
    on,
    // Away from what stands on it, so that this stays as readable.
    strong: mix(seen, on === white ? black : white, 0.14),
    text: until(accent, away, isText),
    soft,
  };
}

/** The contrast of two colours, from 1 to 21, as WCAG counts it. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const channels = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** The colour, with as little as possible of another one in it. */
function until(colour: string, towards: string, isEnough: (colour: string) => boolean): string {
  for (let part = 0; part < 1; part += 0.02) {
    const mixed = mix(colour, towards, part);
    if (isEnough(mixed)) return mixed;
  }
  return towards;
}

function mix(colour: string, other: string, part: number): string {
  const more = channels(other);
  const mixed = channels(colour).map((channel, at) => channel * (1 - part) + (more[at] ?? 0) * part);
  return `#${mixed.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}
