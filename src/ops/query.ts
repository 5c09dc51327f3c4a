import { SetMetadata } from '@nestjs/common';
import { FieldErrors } from '../lib/field-errors.js';
import { Refusal } from '../lib/errors.js';
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

/** Marks a handler that validates the query itself; for all others, the guard refuses every parameter. */
export const ValidatesQuery = (): MethodDecorator => SetMetadata(validatesQuery, true);

/** Marks the handler of a decorated parameter as `ValidatesQuery` does. */
export const handlerValidatesQuery = markingHandler(validatesQuery);

export const readsBody = Symbol('reads-body');

/** Marks a handler that reads the body from the request itself. */
export const ReadsBody = (): MethodDecorator => SetMetadata(readsBody, true);

/** Marks the handler of a decorated parameter as one that reads the body. */
export const handlerReadsBody = markingHandler(readsBody);

function markingHandler(key: symbol): ParameterDecorator {
  return (controller, name) => {
    const handler: unknown = name === undefined ? undefined : Reflect.get(controller, name);
    if (typeof handler === 'function') Reflect.defineMetadata(key, true, handler);
  };
}
