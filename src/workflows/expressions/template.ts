import { ExpressionError } from './expression-error.js';

/** A reference in `{{…}}` to a field, a built-in key or a secret. `name` lacks the prefix `secret.`. */
export interface Reference {
  readonly name: string;
  readonly secret: boolean;
}

/** A compiled text; its parts are literal texts and references in order. */
export interface Template {
  readonly parts: readonly (string | Reference)[];
  readonly names: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  render(lookup: (reference: Reference) => string): string;
}

/** Compiles a text with `{{Name}}`; throws `ExpressionError` with the reason if the text is invalid. */
export function compileTemplate(text: string): Template {
  const parts = split(text);
  const references = parts.filter((part) => typeof part !== 'string');
  return {
    parts,
    names: namesOf(references, false),
    secrets: namesOf(references, true),
    render: (lookup) => parts.map((part) => (typeof part === 'string' ? part : lookup(part))).join(''),
  };
}

/** Compiles a stored text; undefined if this version of the service cannot compile it. */
export function templateIfAny(text: string): Template | undefined {
  try {
    return compileTemplate(text);
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function split(text: string): (string | Reference)[] {
  const [first = '', ...rest] = text.split('{{');
  return [first, ...rest.flatMap(splitAfterOpening)].filter((part) => part !== '');
}

function splitAfterOpening(text: string): [Reference, string] {
  const end = text.indexOf('}}');
  if (end < 0) throw new ExpressionError('has a {{ without }}');
  return [referTo(text.slice(0, end).trim()), text.slice(end + 2)];
}

const secretPattern = /^secret\.([A-Za-z0-9_-]{1,100})$/;

function referTo(name: string): Reference {
  if (name === '') throw new ExpressionError('has an empty {{ }}');
  const secret = secretPattern.exec(name)?.[1];
  if (secret === undefined && name.startsWith('secret.')) {
    throw new ExpressionError(`has a secret whose name is not 1 to 100 letters, digits, _ or -: ${name}`);
  }
  return { name: secret ?? name, secret: secret !== undefined };
}

function namesOf(references: readonly Reference[], secret: boolean): Set<string> {
  return new Set(references.filter((reference) => reference.secret === secret).map(({ name }) => name));
}

/** A rendered template: fixed texts, and values that must never be interpreted as syntax. */
export type FilledText = readonly (string | { readonly value: string })[];

export function plainText(text: FilledText): string {
  return joinedText(text, (value) => value);
}

/** The whole text, with each value formatted by `shown`. */
export function joinedText(text: FilledText, shown: (value: string) => string): string {
  return text.map((part) => (typeof part === 'string' ? part : shown(part.value))).join('');
}

/** If a text is longer than `most` characters, cuts it to at most that length, including a final `…`. */
export function cutText(text: FilledText, most: number): FilledText {
  if (plainText(text).length <= most) return text;
  let left = most - 1;
  const start = text.flatMap((part) => {
    const whole = typeof part === 'string' ? part : part.value;
    const cut = withoutHalfOfPair(whole.slice(0, left));
    left = cut.length < whole.length ? 0 : left - cut.length;
    if (cut === '') return [];
    return [typeof part === 'string' ? cut : { value: cut }];
  });
  return [...start, '…'];
}

/** Leaves out the first half of a surrogate pair at the end of a text that was cut. */
const withoutHalfOfPair = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');
