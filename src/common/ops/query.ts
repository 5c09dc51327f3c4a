import { FieldErrors } from '../field-errors.js';
import { Refusal } from '../errors.js';
import { isDecodable } from './edge.js';

/** The query parameters of a URL, in their order. */
export function readQuery(url: string): URLSearchParams {
  const query = /\?.*/s.exec(url)?.[0] ?? '';
  // URLSearchParams would replace invalid bytes, so the service would answer another query than the client
  // sent.
  if (!isDecodable(query)) throw new Refusal('malformed', 'The query is not percent-encoded UTF-8.');
  return new URLSearchParams(query);
}

/** Throws if the request has query parameters, for routes that take none. */
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

/**
 * Marks a handler that validates the query, itself or by a parameter decorator. Other handlers accept no
 * query, unless they are public.
 */
export const ValidatesQuery = marking(validatesQuery);

/**
 * Marks a handler that reads the body, itself or by a parameter decorator. Other handlers of the API accept
 * no body.
 */
export const ReadsBody = marking(readsBody);

function marking(key: symbol) {
  return (controller: object, name: string | symbol | undefined): void => {
    const handler: unknown = name === undefined ? undefined : Reflect.get(controller, name);
    if (typeof handler === 'function') Reflect.defineMetadata(key, true, handler);
  };
}
