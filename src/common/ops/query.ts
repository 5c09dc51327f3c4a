import { FieldErrors } from '../field-errors.js';
import { Refusal } from '../errors.js';
import { isDecodable } from './edge.js';

/** The query parameters of a URL, in their order. */
export function readQuery(url: string): URLSearchParams {
  const query = /\?.*/s.exec(url)?.[0] ?? '';
  // URLSearchParams replaces what it cannot decode, so it might look up something that was not asked for.
  if (!isDecodable(query)) throw new Refusal('malformed', 'The query is not percent-encoded UTF-8.');
  return new URLSearchParams(query);
}

/** Throws if a request without query parameters has some. */
export function refuseParameters(url: string): void {
  if (!url.includes('?')) return;
  const errors = new FieldErrors();
  for (const name of new Set(readQuery(url).keys())) errors.add(name, strange);
  errors.throwIfAny();
}

/** The message for a parameter that a route does not know. */
export const strange = 'is not a parameter here';

export const validatesQuery = Symbol('validates-query');
export const readsBody = Symbol('reads-body');

/** Marks a handler, or that of a parameter, that validates the query itself; for all others, the guard refuses it. */
export const ValidatesQuery = marking(validatesQuery);

/** Marks a handler, or that of a parameter, that reads the body; for all others, the guard refuses it. */
export const ReadsBody = marking(readsBody);

function marking(key: symbol) {
  return (controller: object, name: string | symbol | undefined): void => {
    const handler: unknown = name === undefined ? undefined : Reflect.get(controller, name);
    if (typeof handler === 'function') Reflect.defineMetadata(key, true, handler);
  };
}
