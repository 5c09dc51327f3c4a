import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';

/** Styles a text for people, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Colours for a stream that is a terminal; nothing for others, nor where `NO_COLOR` is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (stream.isTTY ? marked(styleText(style, visible(text), { stream })) : text);
}

/** A text in a style, to be shown by one of the functions of print.ts. */
export function styled(style: Style, text: string): string {
  return marked(styleText(style, visible(text)));
}

// Stands for ESC in what is ours: as nobody can know it beforehand, no text that is shown holds it.
const mark = `esc-${randomUUID()}`;

const marked = (text: string): string => text.replaceAll('\x1b', mark);

// Controls but tab and the ends of lines, and what turns the direction of a text.
const hidden = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text as a terminal may show it: control characters of its data stand as `\u001b`; our own styles are kept. */
export function visible(text: string): string {
  return text.replace(hidden, codeOf).replaceAll(mark, '\x1b');
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
