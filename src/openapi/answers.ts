import { type OpenAPIObject } from '@nestjs/swagger';
import { type HeaderName } from './headers.js';
import { ref, type Schema } from './schema.js';

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/** One answer of an operation. */
export type Answer = Exclude<Responses[string], { $ref: string }>;

/** An answer with a JSON body: one of a named schema, or any. */
export function json(
  description: string,
  schema: string | Schema,
  names: readonly HeaderName[] = [],
): Answer {
  return body(description, 'application/json', typeof schema === 'string' ? ref(schema) : schema, names);
}

/** An answer with a body of some type. */
export function body(
  description: string,
  type: string,
  schema: Schema,
  names: readonly HeaderName[] = [],
): Answer {
  return { ...empty(description, names), content: { [type]: { schema } } };
}

/** An answer without a body. */
export function empty(description: string, names: readonly HeaderName[] = []): Answer {
  return {
    description,
    headers: Object.fromEntries([...always, ...names].map((name) => [name, header(name)])),
  };
}

/** A problem document. */
export function problem(description: string, names: readonly HeaderName[] = []): Answer {
  return body(description, 'application/problem+json', ref('Problem'), [...names, 'Connection']);
}

// The limits only where one is set.
const always: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

const header = (name: HeaderName): { $ref: string } => ({ $ref: `#/components/headers/${name}` });
