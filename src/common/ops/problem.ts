import { type ServerResponse } from 'node:http';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';

const messages = { type: 'array', items: { type: 'string' } } as const;

/** The schema of an object that maps names of fields or parameters to messages. */
export const messagesByName = { type: 'object', additionalProperties: messages } as const;

export const problemType = 'application/problem+json; charset=utf-8';

export function problemDocument(
  status: number,
  title: string,
  detail: string,
  requestId: unknown,
  type = 'about:blank',
): string {
  const problem = { type, title, status, detail, request_id: requestId };
  return JSON.stringify(problem satisfies Record<keyof Problem, unknown>);
}

/** A response with the reason of a 503, for the log. */
export interface Reasoned {
  reason?: string;
}

/** Sends a problem document. If the answer has already begun, cuts it off. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
  type?: string,
): void {
  if (response.headersSent) return void response.destroy();
  // The log needs the reason of a 503. Other reasons matter only to the client.
  if (status === 503) (response as Reasoned).reason = detail;
  const body = problemDocument(status, title, detail, response.getHeader('X-Request-Id'), type);
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'Content-Type': problemType, 'Content-Length': length }).end(body);
}

@ApiSchema({ description: 'RFC 9457.' })
export class Problem {
  @ApiProperty({ description: '`about:blank`, or the kind of a 409 or 410, such as `cursor-expired`.' })
  readonly type!: string;

  @ApiProperty({ description: 'The text of the status.' })
  readonly title!: string;

  @ApiProperty({ type: 'integer' })
  readonly status!: number;

  @ApiProperty({ description: 'The reason for the refusal, for people.' })
  readonly detail!: string;

  @ApiProperty({ description: 'The id of the request in the log of the service.' })
  readonly request_id!: string;
}

@ApiSchema({ name: 'FieldErrors', description: 'All problems at once.' })
export class RefusedFields {
  @ApiProperty(messagesByName)
  readonly errors!: Readonly<Record<string, readonly string[]>>;
}

@ApiSchema({ name: 'RefusedExecution', description: 'The execution did not begin.' })
export class RefusedStart {
  @ApiProperty({ enum: ['Fail'] })
  readonly status!: 'Fail';

  @ApiProperty({ description: 'One message for each unmet requirement.', type: [String] })
  readonly errors!: readonly string[];
}
