import { styleText } from 'node:util';

/** Styles a text for people, or leaves it as it is. */
export type Paint = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Colours for a stream that is a terminal; nothing for others, nor where `NO_COLOR` is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (stream.isTTY ? styleText(style, text, { stream }) : text);
}
