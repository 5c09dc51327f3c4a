import { errors } from 'undici';

const causes = {
  'url not allowed': 'its URL is not allowed',
  'address not allowed': 'its address is not allowed',
  'too many redirects': 'too many redirects',
  'invalid request': 'the request is not valid',
  'timed out': 'it took too long',
  interrupted: 'it was interrupted',
  unreachable: 'the server could not be reached',
  'invalid answer': 'the server gave no valid answer',
  'unexpected status': 'the server refused it',
  'encoded answer': 'the server sent it compressed',
  'too large': 'it is too large',
  incomplete: 'the answer broke off',
} as const;

export type OutboundReason = keyof typeof causes;

/** A request failed. The message is safe to show: it contains no data and no address of the other server. */
export class OutboundFailure extends Error {
  constructor(
    readonly reason: OutboundReason,
    message: string = causes[reason],
  ) {
    super(message);
  }
}

/** Converts an error to a failure. `otherwise` is the reason for unknown errors. */
export function failureOf(
  error: unknown,
  signal: AbortSignal,
  otherwise: 'unreachable' | 'incomplete',
): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  if (signal.aborted) return new OutboundFailure(isTimeout(signal.reason) ? 'timed out' : 'interrupted');
  const code = String(Reflect.get(Object(error), 'code'));
  const isMalformed =
    error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError;
  // If a body breaks off, undici may throw the same errors, but the reason must be `incomplete`.
  if (isMalformed && otherwise === 'unreachable') return new OutboundFailure('invalid answer');
  return new OutboundFailure(reasons.get(code) ?? otherwise);
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

const reasons: ReadonlyMap<string, OutboundReason> = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', 'timed out'],
  ['UND_ERR_HEADERS_OVERFLOW', 'invalid answer'],
  ['UND_ERR_INVALID_ARG', 'invalid request'],
  ['UND_ERR_NOT_SUPPORTED', 'invalid request'],
  ['UND_ERR_DESTROYED', 'interrupted'],
  ['UND_ERR_CLOSED', 'interrupted'],
]);
