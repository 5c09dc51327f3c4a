import { type OpenAPIObject } from '@nestjs/swagger';

type Components = NonNullable<OpenAPIObject['components']>;

/** Maps each value of an object. */
export function mapped<From, To>(
  parts: Readonly<Record<string, From>>,
  change: (part: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part, name)]));
}

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = NonNullable<Components['schemas']>[string] & { readonly const?: unknown };

/** Schemas by the names of their references. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A reference to the schema of this name. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const textSchema = (description: string): Schema => ({ type: 'string', description });

export const maybeText = (description: string): Schema => ({ type: ['string', 'null'], description });

export const maybeInstant = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
});

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** One of these values; any text if there are none. */
export function oneOf(values: readonly string[], description: string): Schema {
  return { type: 'string', description, ...(values.length > 0 && { enum: [...values] }) };
}

/** An object with exactly these properties. */
export function closed(properties: Schemas): Schema {
  return { ...loose(properties), required: Object.keys(properties) };
}

/** An object with these properties only, all of them optional. */
export function loose(properties: Schemas): Schema {
  return { type: 'object', properties: { ...properties }, additionalProperties: false };
}

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/** One answer of an operation. */
export type Answer = Exclude<Responses[string], { $ref: string }>;

/** An answer with a JSON body, of a named schema or any. */
export function json(
  description: string,
  schema: string | Schema,
  names: readonly HeaderName[] = [],
): Answer {
  return body(description, 'application/json', typeof schema === 'string' ? ref(schema) : schema, names);
}

/** An answer with a body of this media type. */
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
function problem(description: string, names: readonly HeaderName[] = []): Answer {
  return body(description, 'application/problem+json', ref('Problem'), [...names, 'Connection']);
}

// The headers RateLimit-… are sent only if a limit is set.
const always: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

const header = (name: HeaderName): { $ref: string } => ({ $ref: `#/components/headers/${name}` });

type Header = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>[string];

const alwaysSent = (description: string): Header => ({
  description,
  required: true,
  schema: { type: 'string' },
});
const sometimes = (description: string): Header => ({ description, schema: { type: 'string' } });

/** The headers of answers, by name. */
export const headers = {
  'X-Request-Id': alwaysSent('The id of the request in the log: that of the client, or a random one.'),
  ETag: alwaysSent('The version of what is shown; for a task `"<version>-<hash>"`.'),
  Link: sometimes('`<…>; rel="next"`: the next page, if there is one.'),
  'Event-Id': sometimes('The last event that the write made; absent if it changed nothing.'),
  'X-Total-Count': sometimes('How many tasks match the filters; only with `_count=true`.'),
  'Server-Timing': sometimes(
    '`sort;desc="no index"` if no index has the order of `_sort`, `filter;desc="no index"` if none has the range of a filter; both are separated by a comma.',
  ),
  Location: sometimes(
    'The path of the created element; for a comment or a timer, of its list. Absent for a task without a Unique ID.',
  ),
  'Preference-Applied': sometimes('`wait=N` if `Prefer` asked for it.'),
  'WWW-Authenticate': alwaysSent('`Bearer`.'),
  'Retry-After': alwaysSent('Seconds after which the same request may succeed.'),
  Connection: sometimes('`close` if the rest of the body was not read.'),
  'Content-Disposition': alwaysSent('`attachment` with the name of the file (RFC 6266, 8187).'),
  'Content-Length': sometimes('The number of bytes.'),
  'Content-Range': alwaysSent('The range of bytes, and how many there are.'),
  'Accept-Ranges': alwaysSent('`bytes`.'),
  'X-Content-Type-Options': alwaysSent('`nosniff`.'),
  Vary: alwaysSent('The headers of the request that the answer depends on.'),
  'Content-Security-Policy': alwaysSent('Gives the content no rights.'),
  'Cross-Origin-Resource-Policy': alwaysSent('`same-origin`.'),
  'Referrer-Policy': alwaysSent('`no-referrer`.'),
  'Cache-Control': alwaysSent('How long the answer may be kept.'),
  'RateLimit-Limit': sometimes('How many requests a key may send in a minute.'),
  'RateLimit-Remaining': sometimes('How many of them are left.'),
  'RateLimit-Reset': sometimes('Seconds until more are allowed.'),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

/** One parameter of an operation. */
export type Parameter = Extract<
  NonNullable<NonNullable<OpenAPIObject['components']>['parameters']>[string],
  { in: string }
>;

const path = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

export const query = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const headerParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** The parameters of paths, by name. */
export const pathParameters: ReadonlyMap<string, Parameter> = new Map(
  [
    path('workflow_id', 'The id of the workflow.'),
    path('unique_id', "The value of the task's Unique ID field, percent-encoded once."),
    path('other_unique_id', 'The Unique ID of the task at the other end.'),
    path('relationship', 'The relationship by its name on this side.', ref('RelationshipName')),
    path('field', 'The name of a file field.', ref('FieldName')),
    path('blob_id', 'The `blobId` of an attachment.'),
    path('id', 'The id of the checklist item.'),
    path('execution_id', 'The id of the execution.'),
    path('user_id', 'The id of the user.'),
    path('webhook_id', 'The id of the webhook.'),
    path('rule_id', 'The id of the rule.'),
    path('message_id', 'The id of the message.'),
    path('schedule_id', 'The id of the schedule.'),
    path('timer_id', 'The id of the timer.'),
    path('calendar_id', 'The id of the calendar.'),
    path('token', 'The last part of the address of a rule on hook.'),
    path(
      'asset',
      'A file of the page.',
      oneOf(['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'], 'Its name.'),
    ),
  ].map((parameter) => [parameter.name, parameter]),
);

const waitPreference =
  '`wait=N`: wait up to N seconds (25 at most) for the end of the execution or for the next event.';

/** The request headers that operations share. */
export const parameters = {
  requestId: headerParameter(
    'X-Request-Id',
    'An id for the request: 1 to 100 characters of `A-Za-z0-9_.:-`. Default: a random id.',
  ),
  ifMatch: headerParameter('If-Match', 'The task must be in the version of this `ETag`; otherwise 412.'),
  ifMatchDefinition: headerParameter(
    'If-Match',
    'The definition in force must be the version of this `ETag`; otherwise 412.',
  ),
  ifNoneMatch: headerParameter(
    'If-None-Match',
    'The `ETag` of what the client has; 304 if it has not changed.',
  ),
  unless: headerParameter(
    'If-None-Match',
    'The task must have none of these `ETag`s; `*`: it must not exist; otherwise 412.',
  ),
  idempotencyKey: headerParameter(
    'Idempotency-Key',
    '1 to 255 characters. Within a day, the same request with the same key gets the first answer again, with its headers.',
  ),
  prefer: headerParameter('Prefer', waitPreference),
  webhookId: headerParameter('webhook-id', 'The id of the request; ignored if repeated within 24 hours.'),
  webhookTimestamp: headerParameter('webhook-timestamp', 'Seconds since 1970, five minutes old at most.'),
  webhookSignature: headerParameter('webhook-signature', '`v1,…`; several are separated by spaces.'),
  hookSecret: headerParameter('X-Hook-Secret', 'The secret itself, in place of a signature.'),
  range: headerParameter('Range', 'One range of bytes.'),
  ifRange: headerParameter('If-Range', 'The `ETag` of the file that the range belongs to.'),
} satisfies Record<string, Parameter>;

/** The refusals of requests by the names that operations use for them; each name begins with its status. */
export const refusals = {
  '400': problem('The request is not understood.'),
  '401': problem('There is no valid key: missing, malformed, unknown, revoked or expired.', [
    'WWW-Authenticate',
  ]),
  '403': problem(
    'The key may not do this: it may only read, can only create tasks, is narrowed otherwise, or needs the scope `admin`.',
  ),
  '404': problem('There is nothing here that this key can see.'),
  '408': problem('The request took too long to arrive.'),
  '409': problem('The request is in conflict with another, or comes too late.'),
  '410': problem('The events after the cursor are no longer kept: begin again without it.'),
  '412': problem('The task is not in the version that the request demands.'),
  '413': problem('The body or a file is too large.'),
  '415': problem('The body has the wrong type, or is compressed.'),
  '416': problem('The file ends before this range.', ['Content-Range']),
  '422': json('Invalid: messages by field or parameter.', 'FieldErrors', ['Connection']),
  '422-execution': json(
    'One or more requirements of the action are not met, or the request has a query parameter.',
    { oneOf: [ref('RefusedExecution'), ref('FieldErrors')] },
    ['Connection'],
  ),
  '429': problem('Too many requests of this key.', ['Retry-After']),
  '431': problem('The headers and the path are too long.'),
  '500': problem('A fault of the service.'),
  '503': problem('The service is busy, or cannot reach its database or store.', ['Retry-After']),
} satisfies Record<string, Answer>;

export type RefusalName = keyof typeof refusals;
