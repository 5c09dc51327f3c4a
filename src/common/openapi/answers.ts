import { applyDecorators } from '@nestjs/common';
import {
  ApiHeader,
  ApiNotModifiedResponse,
  ApiOkResponse,
  ApiResponse,
  type ApiResponseNoStatusOptions,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { ref, type Schema } from './vocabulary.js';

type Components = NonNullable<OpenAPIObject['components']>;

export type Answer = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>;

type Header = NonNullable<Components['headers']>[string];

const alwaysSent = (description: string): Header => ({
  description,
  required: true,
  schema: { type: 'string' },
});
const sometimes = (description: string): Header => ({ description, schema: { type: 'string' } });

export const headers = {
  'X-Request-Id': alwaysSent('The id of the request in the log: that of the client, or a random one.'),
  ETag: alwaysSent('The version of what is shown; for a task `"<version>-<hash>"`.'),
  Link: sometimes('`<…>; rel="next"`: the next page, if there is one.'),
  'X-Total-Count': sometimes('How many tasks match the filters; only with `_count=true`.'),
  'Server-Timing': sometimes('`sort;desc="no index"` and `filter;desc="no index"` for what no index has.'),
  Location: sometimes('The path of what was created, or of its list.'),
  'Preference-Applied': sometimes('`wait=N` if `Prefer` asked for it.'),
  'WWW-Authenticate': alwaysSent('`Bearer`.'),
  'Retry-After': alwaysSent('Seconds after which the same request may succeed.'),
  'Content-Disposition': alwaysSent('`attachment` with the name of the file (RFC 6266, 8187).'),
  'Content-Range': alwaysSent('The range of bytes, and how many there are.'),
  'Accept-Ranges': alwaysSent('`bytes`.'),
  'RateLimit-Limit': sometimes('How many requests a key may send in a minute.'),
  'RateLimit-Remaining': sometimes('How many of them are left.'),
  'RateLimit-Reset': sometimes('Seconds until more are allowed.'),
} satisfies Record<string, Header>;

type HeaderName = keyof typeof headers;

export const sends = (...names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of every answer. Headers about limits are sent only if a limit is set. */
export const everyAnswer = sends('X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset');

/** Describes refusals, by status, besides those that follow from the parameters and the body of an operation. */
export const ApiRefusals = (...statuses: readonly number[]): MethodDecorator =>
  applyDecorators(...statuses.map((status) => ApiResponse({ status })));

/** Lets the decorator of a parameter describe its method, too. */
export const describing =
  (describe: MethodDecorator): ParameterDecorator =>
  (controller, name) => {
    const method = name && Object.getOwnPropertyDescriptor(controller, name);
    if (method) describe(controller, name, method);
  };

/** A read with an `ETag`: the answer is 304 if the client has the current version. */
export const ApiTagged = (options: ApiResponseNoStatusOptions): MethodDecorator => {
  const tagged = { ...sends('ETag'), ...options.headers };
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      description: 'The `ETag` of what the client has; 304 if it has not changed.',
    }),
    ApiOkResponse({ ...options, headers: tagged }),
    ApiNotModifiedResponse({ description: 'Not modified.', headers: tagged }),
  );
};

function refusal(description: string, type: string, schema: Schema, ...names: HeaderName[]): Answer {
  return { description, content: { [type]: { schema } }, headers: { ...everyAnswer, ...sends(...names) } };
}

const problem = (description: string, ...names: HeaderName[]): Answer =>
  refusal(description, 'application/problem+json', ref('Problem'), ...names);

export const refusals: Readonly<Record<string, Answer>> = {
  400: problem('The request is not understood.'),
  401: problem('There is no valid key: missing, malformed, unknown, revoked or expired.', 'WWW-Authenticate'),
  403: problem('The key may not do this: it is narrowed, or has another scope.'),
  404: problem('There is nothing here that this key can see.'),
  408: problem('The request took too long to arrive.'),
  409: problem('The request is in conflict with another, or comes too late.'),
  410: problem('The events after the cursor are no longer kept: begin again without it.'),
  412: problem('The task is not in the version that the request demands.'),
  413: problem('The body or a file is too large.'),
  415: problem('The body has the wrong type, or is compressed.'),
  416: problem('The file ends before this range.', 'Content-Range'),
  422: refusal('Invalid: messages by field or parameter.', 'application/json', ref('FieldErrors')),
  429: problem('Too many requests of this key.', 'Retry-After'),
  431: problem('The headers and the path are too long.'),
  500: problem('A fault of the service.'),
  503: problem('The service is busy, or cannot reach its database or store.', 'Retry-After'),
};
