/** A message for people: an English text, or a sentence with arguments. */
export type Message = string | Sentence;

export interface Sentence {
  /** The English text with a placeholder for each argument: `is longer than {0} characters`. */
  readonly code: string;
  readonly args: readonly Argument[];
  /**
   * The internal id of the workflow that the sentence tells about. Set if readers of other workflows see the
   * sentence, too. A reader who may not see that workflow gets another text.
   */
  readonly about?: number;
}

type Argument = string | number | Sentence;

/** Writes a sentence with arguments: say`is longer than ${most} characters`. */
export function say(pieces: TemplateStringsArray, ...args: readonly Argument[]): Sentence {
  return { code: pieces.reduce((code, piece, at) => `${code}{${at - 1}}${piece}`), args };
}

/** Converts a message to a `Sentence`, so that it can be an argument of another sentence. */
export function sentence(message: Message): Sentence {
  return typeof message === 'string' ? { code: message, args: [] } : message;
}

export const ofField = (name: string, message: Message): Sentence => say`${name} ${sentence(message)}`;

/** Appends a hint to a message, unless the hint is empty. */
export const hinted = (message: Message, hint: Message): Message =>
  hint === '' ? message : say`${sentence(message)}${sentence(hint)}`;

export function joined(messages: readonly Message[], by: string): Sentence {
  return { code: messages.map((_, at) => `{${at}}`).join(by), args: messages.map(sentence) };
}

export function english(message: Message): string {
  const { code, args } = sentence(message);
  const texts = args.map((arg) => (typeof arg === 'object' ? english(arg) : String(arg)));
  return code.replace(/\{(\d+)\}/g, (place, at: string) => texts[Number(at)] ?? place);
}

/** Serializes a message for a text column. A sentence with arguments becomes JSON after a marker. */
export function keptText(message: Message): string {
  const isPlain = typeof message === 'string' && !message.startsWith(isJson);
  return isPlain ? message : isJson + JSON.stringify(sentence(message));
}

/** Parses a text that `keptText` wrote. */
export function messageOfText(text: string): Message {
  return text.startsWith(isJson) ? (JSON.parse(text.slice(isJson.length)) as Sentence) : text;
}

/** The character before JSON: U+001E, as in RFC 7464. */
const isJson = '\x1e';
