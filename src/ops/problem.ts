import { type ServerResponse } from 'node:http';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

export const problemType = 'application/problem+json; charset=utf-8';

/** A problem document as JSON. */
export function problemDocument(
  status: number,
  title: string,
  detail: string,
  requestId: unknown,
  type = 'about:blank',
  further: Readonly<Record<string, number>> = {},
): string {
  const problem = { type, title, status, detail, request_id: requestId, ...further };
  return JSON.stringify(problem satisfies Record<Exclude<keyof Problem, 'found'>, unknown>);
}

/** Notes for the log why a request could not be answered for now; what is refused for another reason, its client knows. */
export function noteReason(response: Reasoned, status: number, detail: string): void {
  if (status === 503) response.reason = detail;
}

/** A response of which the log says why it is 503: a sentence of the service's own. */
export interface Reasoned {
  reason?: string;
}

/** Answers with one, outside the routes, unless the answer has begun already: then it is cut short. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.destroy();
  noteReason(response as Reasoned, status, detail);
  const body = problemDocument(status, title, detail, response.getHeader('X-Request-Id'));
  if (!response.req.complete) response.setHeader('Connection', 'close');
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'Content-Type': problemType, 'Content-Length': length }).end(body);
}

/** A problem document of RFC 9457. */
@ApiSchema({ description: 'RFC 9457.' })
export class Problem {
  @ApiProperty({
    description:
      '`about:blank` where the status says it all; `cursor-expired` of a 410, `managed-by-definition` and `idempotency-key-in-use` (the first request is still being answered) of a 409.',
  })
  readonly type!: string;

  @ApiProperty({ description: 'The words of the status.' })
  readonly title!: string;

  @ApiProperty({ type: 'integer' })
  readonly status!: number;

  @ApiProperty({ description: 'What is wrong, for people.' })
  readonly detail!: string;

  @ApiProperty({ description: 'The request in the log of the service.' })
  readonly request_id!: string;

  @ApiPropertyOptional({
    description: 'How many tasks a filter found, of a 412 where `_expect` said another number.',
    type: 'integer',
  })
  readonly found?: number;
}

/** What was sent is refused, name by name. */
@ApiSchema({ name: 'FieldErrors', description: 'All problems at once.' })
export class RefusedFields {
  @ApiProperty({
    description: 'Messages by the name of the field or parameter; what belongs to none stands under `base`.',
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;
}

@ApiSchema({ name: 'RefusedExecution', description: 'The execution was not begun.' })
export class RefusedStart {
  @ApiProperty({ enum: ['Fail'] })
  readonly status!: 'Fail';

  @ApiProperty({ description: 'One message for each unmet requirement.', type: [String] })
  readonly errors!: readonly string[];
}
