import { applyDecorators } from '@nestjs/common';
import {
  ApiHeader,
  ApiNotModifiedResponse,
  ApiOkResponse,
  ApiResponse,
  type ApiResponseNoStatusOptions,
} from '@nestjs/swagger';
import { type Components, ref, type Schema } from './vocabulary.js';

export type Answer = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>;

/** Describes refusals with these statuses. An operation's parameters and body imply further refusals. */
export const ApiRefusals = (...statuses: readonly number[]): MethodDecorator =>
  applyDecorators(...statuses.map((status) => ApiResponse({ status })));

/** Makes a parameter decorator that applies `describe` to the method of the parameter. */
export const describing =
  (describe: MethodDecorator): ParameterDecorator =>
  (controller, name) => {
    const method = name && Object.getOwnPropertyDescriptor(controller, name);
    if (method) describe(controller, name, method);
  };

/** Describes a read with an `ETag`. The answer is 304 if the client has the current version. */
export const ApiTagged = (options: ApiResponseNoStatusOptions): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      description: 'The `ETag` of the client’s copy. The answer is 304 if the copy is current.',
    }),
    ApiOkResponse(options),
    ApiNotModifiedResponse({ description: 'Not modified.' }),
  );

const refusal = (description: string, type: string, schema: Schema): Answer => ({
  description,
  content: { [type]: { schema } },
});

const problem = (description: string): Answer =>
  refusal(description, 'application/problem+json', ref('Problem'));

export const refusals: Readonly<Record<string, Answer>> = {
  400: problem('The request is not understood.'),
  401: problem('There is no valid key: missing, malformed, unknown, revoked or expired.'),
  403: problem('The key may not do this: it is narrowed, or has another scope.'),
  404: problem('There is nothing here that this key can see.'),
  408: problem('The request took too long to arrive.'),
  409: problem('The request is in conflict with another, or comes too late.'),
  410: problem('The events after the cursor are no longer kept: begin again without a cursor.'),
  412: problem('The task is not in the version that the request demands.'),
  413: problem('The body or a file is too large.'),
  415: problem('The body has the wrong type, or is compressed.'),
  416: problem('The file has no bytes in this range.'),
  422: refusal('Invalid: messages by field or parameter.', 'application/json', ref('FieldErrors')),
  429: problem('Too many requests of this key.'),
  431: problem('The headers and the path are too long.'),
  500: problem('A fault of the service.'),
  503: problem('The service is busy, or cannot reach its database or store.'),
};
