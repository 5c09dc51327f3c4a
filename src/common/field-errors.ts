import { type Message, ofField } from './message.js';
import { excerpt } from './wording.js';

/** Maps a field's name, cut at 100 characters, to its problems. Problems without a field are under `base`. */
export class FieldErrors {
  private readonly messages = new Map<string, Message[]>();

  add(name: string, message: Message): this {
    const field = excerpt(name);
    const known = this.messages.get(field);
    if (known) known.push(message);
    else this.messages.set(field, [message]);
    return this;
  }

  addAll(others: FieldErrors): this {
    for (const [field, messages] of others.messages) for (const message of messages) this.add(field, message);
    return this;
  }

  get fields(): InvalidFields['fields'] {
    return [...this.messages];
  }

  throwIfAny(): void {
    if (this.messages.size > 0) throw new InvalidFields(this.fields);
  }
}

export class InvalidFields extends Error {
  /** `more` has the keys of the response besides `errors`. */
  constructor(
    readonly fields: readonly (readonly [name: string, messages: readonly Message[]])[],
    readonly more: object = {},
  ) {
    super('invalid fields');
  }
}

/** The messages of an `InvalidFields`, each after the name of its field, if any. Rethrows other errors. */
export function faultsOf(error: unknown): Message[] {
  if (!(error instanceof InvalidFields)) throw error;
  return sentencesOf(error.fields);
}

export const sentencesOf = (fields: InvalidFields['fields']): Message[] =>
  fields.flatMap(([name, messages]) =>
    messages.map((message) => (name === 'base' ? message : ofField(name, message))),
  );

export function invalidField(name: string, message: Message): InvalidFields {
  return new InvalidFields([[name, [message]]]);
}
