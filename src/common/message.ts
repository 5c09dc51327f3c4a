/** A message for people: a sentence in English, or one with arguments. */
export type Message = string | Sentence;

export interface Sentence {
  /** The English sentence with a place for each argument: `is longer than {0} characters`. */
  readonly code: string;
  readonly args: readonly Argument[];
  /** The internal id of the workflow that the sentence is about, if that is not the workflow where it appears. */
  readonly about?: number;
}

type Argument = string | number | Sentence;

/** Writes a sentence with arguments: say`is longer than ${most} characters`. */
export function say(pieces: TemplateStringsArray, ...args: readonly Argument[]): Sentence {
  return { code: pieces.reduce((code, piece, at) => `${code}{${at - 1}}${piece}`), args };
}

/** A message that may be an argument of another. */
export function sentence(message: Message): Sentence {
  return typeof message === 'string' ? { code: message, args: [] } : message;
}

/** A message after the name of its subject. */
export const ofField = (name: string, message: Message): Sentence => say`${name} ${sentence(message)}`;

/** A message, followed by a hint if there is one. */
export const hinted = (message: Message, hint: Message): Message =>
  hint === '' ? message : say`${sentence(message)}${sentence(hint)}`;

export function joined(messages: readonly Message[], by: string): Sentence {
  return { code: messages.map((_, at) => `{${at}}`).join(by), args: messages.map(sentence) };
}

/** The message as one text. */
export function english(message: Message): string {
  const { code, args } = sentence(message);
  const texts = args.map((arg) => (typeof arg === 'object' ? english(arg) : String(arg)));
  return code.replace(/\{(\d+)\}/g, (place, at: string) => texts[Number(at)] ?? place);
}

/** A message as stored in a text column: an English sentence as it is, one with arguments as JSON after a marker. */
export function keptText(message: Message): string {
  const isPlain = typeof message === 'string' && !message.startsWith(isJson);
  return isPlain ? message : isJson + JSON.stringify(sentence(message));
}

/** The message that `keptText` wrote. */
export function messageOfText(text: string): Message {
  return text.startsWith(isJson) ? (JSON.parse(text.slice(isJson.length)) as Sentence) : text;
}

/** U+001E, as before each text of RFC 7464. */
const isJson = '\x1e';
