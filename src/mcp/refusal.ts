import { InvalidStart, Refusal, RefusedExecution, type RefusalKind } from '../common/errors.js';
import { InvalidFields } from '../common/field-errors.js';
import { english } from '../common/message.js';
import { type Structured, type ToolOutcome } from './tool.js';

type Word = 'validation' | 'not_found' | 'not_possible' | 'conflict' | 'forbidden' | 'too_many';

const words: Partial<Record<RefusalKind, Word>> = {
  forbidden: 'forbidden',
  'not-found': 'not_found',
  conflict: 'conflict',
  'managed-by-definition': 'conflict',
  'precondition-failed': 'conflict',
  'cursor-expired': 'conflict',
  'idempotency-key-in-use': 'conflict',
  'too-many-requests': 'too_many',
  unavailable: 'too_many',
};

/** Errors whose messages tell a model why its call is refused. */
type AnyRefusal = Refusal | RefusedExecution | InvalidFields;

export const isRefusal = (error: unknown): error is AnyRefusal =>
  [Refusal, RefusedExecution, InvalidFields].some((kind) => error instanceof kind);

/** Converts a refusal to a result: the messages of the HTTP API, and a hint. */
export function refusedOutcome(error: AnyRefusal): ToolOutcome {
  if (error instanceof InvalidFields) {
    const errors = error.fields.map(([name, all]) => [argumentOf(name), all.map(english)] as const);
    return outcome('validation', { errors: Object.fromEntries(errors) });
  }
  if (error instanceof InvalidStart)
    return outcome('validation', { errors: { base: error.errors.map(english) } });
  if (error instanceof RefusedExecution) return outcome('not_possible', { unmet: error.errors.map(english) });
  const after = error.headers['Retry-After'];
  const wait = after !== undefined && { retry_after: Number(after) };
  return outcome(words[error.kind] ?? 'validation', { errors: { base: [error.message] }, ...wait });
}

const outcome = (refused: Word, why: Structured): ToolOutcome => ({
  said: said[refused],
  structured: { refused, ...why },
  isError: true,
});

const said: Record<Word, string> = {
  validation: 'Refused: the arguments are wrong. `errors` says where; describe_workflow lists the names.',
  not_found: 'Refused: the call names something unknown. describe_workflow and find_tasks show what exists.',
  not_possible: 'Refused: the action is not possible now. `unmet` says why; explain_actions explains all.',
  conflict: 'Refused: the task has changed, or another request conflicts with this one. Call get_task again.',
  forbidden: 'Refused: this key or this service does not allow the call. Do not try again.',
  too_many: 'Refused for now: the service is busy or too slow. Call again later.',
};

/** Maps the name of a query parameter to the name of the tool's argument. */
const argumentOf = (name: string): string =>
  name === '_search' ? 'words' : name.replace(/^_(?=(?:fields|sort|limit|after|workflow)$)/, '');
