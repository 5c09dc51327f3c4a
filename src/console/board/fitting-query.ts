import { InvalidFields, sentencesOf } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';
import { listedProperty } from '../../workflows/fields/filters.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { VIEW, withoutNames } from './addresses.js';

/** The result of a query. `found` is undefined if the query did not run because of its faults. */
export interface Fitting<Found> {
  readonly found: Found | undefined;
  readonly faults: readonly Message[];
}

/** Runs a query and reports its faults. If a faulty query names a view, also runs the query's valid parts. */
export async function readFitting<Found>(
  schema: TaskSchema,
  query: URLSearchParams,
  read: (query: URLSearchParams) => Promise<Found>,
): Promise<Fitting<Found>> {
  try {
    return { found: await read(query), faults: [] };
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    const faults = sentencesOf(error.fields);
    const rest = withoutNames(query, new Set(error.fields.map(([name]) => name)));
    for (const name of query.getAll('_fields'))
      if (!rest.has('_fields', name) && listedProperty(schema, name)) rest.append('_fields', name);
    if (!query.has(VIEW) || rest.toString() === query.toString()) return { found: undefined, faults };
    const { found } = await readFitting(schema, rest, read);
    return { found, faults };
  }
}
