import { type FieldIndex, type Stored } from './field-type.js';

/** The part of a task that a filter or sort reads. Only `tasks/store/` translates it to SQL. */
export type Subject =
  | { readonly of: 'stage' | 'active' | 'assignee' | 'unique-value' | 'created' | 'updated' | 'due' }
  | { readonly of: 'field'; readonly id: string };

/** A value to compare with; `null` stands for blank. */
export type Comparable = Stored | number | null;

/** A filter of a list: true or false for each task. Only `tasks/store/` translates it to SQL. */
export type Condition =
  Membership | Comparison | Containment | WordSearch | OverdueFilter | Alternatives | LinkedFilter;

/** At least one of the conditions is true. */
export interface Alternatives {
  readonly is: 'one-of';
  readonly subject: { readonly of: 'several' };
  readonly conditions: readonly Condition[];
}

/** At least one linked task meets all conditions; if negated, no linked task does. */
export interface LinkedFilter {
  readonly is: 'linked';
  readonly subject: { readonly of: 'links' };
  /** The side of the relationship on which the filtered task is. */
  readonly link: {
    readonly relationshipId: string;
    readonly isFrom: boolean;
    readonly otherWorkflowId: number;
  };
  readonly conditions: readonly Condition[];
  readonly isNegated: boolean;
}

export const isLinkedFilter = (condition: Condition): condition is LinkedFilter => condition.is === 'linked';

/** The subject equals or contains one of these values; if negated, it equals and contains none of them. */
export interface Membership {
  readonly is: 'any-of';
  readonly subject: Subject;
  readonly values: readonly Comparable[];
  readonly isNegated: boolean;
  /** Whether any value is possible, so that few tasks share one; false for stages, options and users. */
  readonly isOpen?: boolean;
  readonly index?: FieldIndex | undefined;
}

/** The subject is not blank, and its comparison with one of these bounds is true. */
export interface Comparison {
  readonly is: ComparisonOperator;
  readonly subject: Subject;
  readonly as: 'text' | 'number' | 'time';
  readonly bounds: readonly Comparable[];
  readonly index?: FieldIndex | undefined;
}

export function isComparison(condition: Condition): condition is Comparison {
  return 'bounds' in condition;
}

export type ComparisonOperator = 'gt' | 'gte' | 'lt' | 'lte';

/** The subject's text contains one of these texts, ignoring case. */
export interface Containment {
  readonly is: 'contains';
  readonly subject: Subject;
  readonly texts: readonly string[];
}

/** The deadline with this id is overdue; without an id, any deadline of the task. If negated, none is. */
export interface OverdueFilter {
  readonly is: 'overdue';
  readonly subject: { readonly of: 'deadlines' };
  readonly deadline: string | undefined;
  readonly isNegated: boolean;
}

/** Each word of this text is the beginning of a word in the task, ignoring case. */
export interface WordSearch {
  readonly is: 'search';
  readonly subject: { readonly of: 'words' };
  readonly text: string;
}
