import { type Stored } from './field-type.js';

/** What a filter looks at; only `records/task-query.ts` knows the SQL of it. */
export type Subject =
  { readonly of: 'stage' | 'assignee' | 'unique-value' } | { readonly of: 'field'; readonly id: string };

/** True for a task whose subject is one of these values; `null` stands for blank. */
export interface Condition {
  readonly subject: Subject;
  readonly anyOf: readonly (Stored | number | null)[];
}
