/** What is said to people: a sentence in English, or one with arguments. */
export type Message = string | Sentence;

/** A sentence with arguments. Other languages have their words for its code. */
export interface Sentence {
  /** The English sentence with a place for each argument: `is longer than {0} characters`. */
  readonly code: string;
  readonly args: readonly Argument[];
}

/** A text or a number is the same in every language; a sentence is not. */
type Argument = string | number | Sentence;

/** A sentence with arguments, as it is written: say`is longer than ${most} characters`. */
export function say(pieces: TemplateStringsArray, ...args: readonly Argument[]): Sentence {
  return { code: pieces.reduce((code, piece, at) => `${code}{${at - 1}}${piece}`), args };
}

/** A message that may be an argument of another. */
export function sentence(message: Message): Sentence {
  return typeof message === 'string' ? { code: message, args: [] } : message;
}

/** A message behind the name of what it is about. */
export const ofField = (name: string, message: Message): Sentence => say`${name} ${sentence(message)}`;

/** A message with a hint behind it, if there is one. */
export const hinted = (message: Message, hint: string): Message =>
  hint === '' ? message : say`${sentence(message)}${sentence(hint)}`;

/** Messages in one sentence. */
export function joined(messages: readonly Message[], by: string): Sentence {
  return { code: messages.map((_, at) => `{${at}}`).join(by), args: messages.map(sentence) };
}

/** What a message says in English: as it stands in answers of the API, in feeds, in exports and in the log. */
export function english(message: Message): string {
  return typeof message === 'string' ? message : (inWords(message, (code) => code) ?? '');
}

/** What a message says by the words that a language has for codes; undefined where it has none for one of them. */
export function inWords(message: Message, wordsOf: (code: string) => string | undefined): string | undefined {
  const { code, args } = sentence(message);
  // What has no letters is in no language.
  const words = /\p{L}/u.test(code) ? wordsOf(code) : code;
  const texts = args.map((arg) => (typeof arg === 'object' ? inWords(arg, wordsOf) : String(arg)));
  if (texts.includes(undefined)) return undefined;
  return words?.replace(/\{(\d+)\}/g, (place, at: string) => texts[Number(at)] ?? place);
}

/** How a message is shown: in English by the API, as it is to pages, which have words of their own. */
export type Telling = (message: Message) => Message;

export const asItIs: Telling = (message) => message;

/** A message as a column of texts keeps it: an English sentence as it is, one with arguments as JSON behind a sign for that. */
export function keptText(message: Message): string {
  const isPlain = typeof message === 'string' && !message.startsWith(isJson);
  return isPlain ? message : isJson + JSON.stringify(sentence(message));
}

/** The message that a text was kept of. */
export function messageOfText(text: string): Message {
  return text.startsWith(isJson) ? (JSON.parse(text.slice(isJson.length)) as Sentence) : text;
}

/** U+001E, as before each text of RFC 7464. */
const isJson = '\x1e';
