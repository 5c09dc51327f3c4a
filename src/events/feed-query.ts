import { FieldErrors } from '../lib/field-errors.js';
import { queryParametersOf, QueryParameter } from '../lib/described.js';
import { parameterMeant } from '../lib/meant.js';
import { strange } from '../ops/query.js';
import { listOf, oneOf } from '../openapi/vocabulary.js';
import { isStorable } from '../schema/text-rules.js';
import { eventTypes } from '../entities/column-values.js';
import { hinted, say } from '../lib/message.js';

/** What of the feed is asked for. */
export interface FeedQuery {
  /** The cursor as it was sent. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly types: readonly string[] | undefined;
  /** The ids of workflows and of tasks, and the names of keys that were changed. */
  readonly workflows: readonly string[] | undefined;
  readonly tasks: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
}

const isAny = (name: string): string => `${name} Repeated, it means any of them.`;
const texts = listOf({ type: 'string' });

/** The parameters of the feed. */
export class FeedParameters {
  @QueryParameter(
    'The cursor of the page before, as `Link` has it; `now` is the end of the feed. Without it the oldest event that is kept comes first.',
  )
  readonly _after: unknown;

  @QueryParameter('How many events at most; 1,000 unless told otherwise. A stream has no end.', {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
  })
  readonly _limit: unknown;

  @QueryParameter(isAny('Only events of this type.'), listOf(oneOf(eventTypes, 'A type of event.')))
  readonly type: unknown;

  @QueryParameter(isAny('Only events of the workflow of this id.'), texts)
  readonly workflow: unknown;

  @QueryParameter(isAny('Only events of the task with this id in its `Task URL`.'), texts)
  readonly task: unknown;

  @QueryParameter(isAny('Only events that changed the key of this name.'), texts)
  readonly field: unknown;
}

const names = new Set(Object.keys(queryParametersOf(FeedParameters)));
const single: readonly (keyof FeedParameters)[] = ['_after', '_limit'];

/** Reads the parameters of the feed, of which a filter may be repeated; throws all their faults at once. */
export function parseFeedQuery(query: URLSearchParams): FeedQuery {
  const errors = new FieldErrors();
  for (const name of new Set(query.keys()))
    if (!names.has(name)) errors.add(name, hinted(strange, parameterMeant(name, names)));
  for (const name of single) if (query.getAll(name).length > 1) errors.add(name, 'is given twice');
  for (const [name, text] of query)
    if (!isStorable(text)) errors.add(name, 'contains a character that cannot be stored');
  const limit = query.get('_limit') ?? String(MAX_LIMIT);
  if (!/^0*([1-9]\d{0,2}|1000)$/.test(limit)) errors.add('_limit', 'is not a whole number from 1 to 1000');
  const known: readonly string[] = eventTypes;
  for (const type of query.getAll('type'))
    if (!known.includes(type))
      errors.add('type', say`is not a type of event; there are: ${known.join(', ')}`);
  errors.throwIfAny();
  const all = (name: string): readonly string[] | undefined =>
    query.has(name) ? [...new Set(query.getAll(name))] : undefined;
  return {
    after: query.get('_after') ?? undefined,
    limit: Number(limit),
    types: all('type'),
    workflows: all('workflow'),
    tasks: all('task'),
    fields: all('field'),
  };
}

const MAX_LIMIT = 1000;
