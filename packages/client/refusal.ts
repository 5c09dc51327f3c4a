import {
  Conflict,
  CursorExpired,
  NotFound,
  NotPossible,
  PreconditionFailed,
  type Refused,
  TooManyRequests,
  Unavailable,
  ValidationError,
  WtsError,
} from './errors.js';

const classes: ReadonlyMap<number, typeof WtsError> = new Map<number, typeof WtsError>([
  [404, NotFound],
  [409, Conflict],
  [412, PreconditionFailed],
  [429, TooManyRequests],
  ...[408, 502, 503, 504].map((status): [number, typeof WtsError] => [status, Unavailable]),
]);

export function refusalOf(refused: Refused, resync: () => Promise<string>): WtsError {
  const { status, body, requestId } = refused;
  const { type, title, detail, errors, status: outcome } = asObject(body);
  const named = requestId === undefined ? '' : ` (request ${requestId})`;
  const say = (reason: string): string => `${status}: ${reason}${named}`;
  const plain = say([detail, title].find((text) => typeof text === 'string') ?? 'no reason was given');
  if (status === 410 && type === 'cursor-expired') return new CursorExpired(plain, refused, resync);
  if (status !== 422) return new (classes.get(status) ?? WtsError)(plain, refused);
  if (outcome === 'Fail' && Array.isArray(errors)) {
    const unmet = errors.map(String);
    const said = say(unmet.join('; '));
    const isWrong = unmet.every((message) => ofRequest.some((one) => one.test(message)));
    return isWrong
      ? new ValidationError(said, refused, { base: unmet })
      : new NotPossible(said, refused, unmet);
  }
  if (errors === undefined) return new ValidationError(plain, refused, {});
  const found = Object.entries(asObject(errors));
  const sentences = found.map(([name, messages]) => `${name} ${[messages].flat().join(', ')}`);
  return new ValidationError(say(sentences.join('; ')), refused, errors as ValidationError['errors']);
}

/** Matches messages about a wrong request. Unmet requirements have the same shape in the answer. */
const ofRequest = [
  /^(task_id|action_id) is (not a text|required)$/,
  /^performed_by is (not a user of this workspace$|another user: )/,
  / is not a key of an execution/,
];

/** Returns a JSON object, or an empty object for any other value. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
