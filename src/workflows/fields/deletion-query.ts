import { FieldErrors, sentencesOf } from '../../common/field-errors.js';
import { joined, say } from '../../common/message.js';
import { type Condition } from './condition.js';
import { controls } from './filters.js';
import { Invalid } from './invalid.js';
import { parseConditions, parseFlag, parameterReader, single } from './list-query.js';
import { type TaskSchema } from './task-schema.js';

export interface Deletion {
  readonly conditions: readonly Condition[];
  readonly expected: number;
}

/** Reads the query of a request to delete tasks; throws all its faults at once. */
export function parseDeletion(schema: TaskSchema, query: URLSearchParams): Deletion {
  const errors = new FieldErrors();
  const conditions = parseChoice(schema, query, errors, ['_expect', '_silent']);
  const read = parameterReader(query, errors);
  read('_silent', false, single(parseFlag));
  const expected = read(
    '_expect',
    0,
    single((text) => parseExpected(text, MAX_DELETED)),
  );
  if (!query.has('_expect')) errors.add('_expect', unsaid);
  errors.throwIfAny();
  return { conditions, expected };
}

const MAX_DELETED = 1000;

/** Reads a query that is the value of another parameter, and chooses tasks. */
export function parseChosen(schema: TaskSchema, text: string): Condition[] | Invalid {
  const errors = new FieldErrors();
  const conditions = parseChoice(schema, new URLSearchParams(text), errors);
  const faults = sentencesOf(errors.fields);
  return faults.length > 0 ? new Invalid(joined(faults, '; ')) : conditions;
}

export function parseExpected(text: string | undefined, most: number): number | Invalid {
  if (text === undefined) return new Invalid(unsaid);
  const expected = /^\d{1,9}$/.test(text) ? Number(text) : Infinity;
  return expected <= most ? expected : new Invalid(say`is not a whole number from 0 to ${most}`);
}

const unsaid = 'is required: the number of tasks to delete';

/** A query without a filter is refused, because the caller has probably forgotten the filter. */
function parseChoice(
  schema: TaskSchema,
  query: URLSearchParams,
  errors: FieldErrors,
  others: readonly string[] = [],
): Condition[] {
  const forLists = [...controls].filter((name) => !choosing.has(name) && query.has(name));
  for (const name of forLists) errors.add(name, 'is for lists only');
  const conditions = parseConditions(schema, query, errors, new Set([...controls, ...others]));
  if (conditions.length === 0 && errors.fields.length === 0) errors.add('base', 'needs a filter');
  return conditions;
}

const choosing: ReadonlySet<string> = new Set(['_any', '_search', '_overdue', '_active']);
