import { type FieldIndex, type Stored } from './field-type.js';

/** What a filter or a sort looks at; only `tasks/store/` knows its SQL. */
export type Subject =
  | { readonly of: 'stage' | 'active' | 'assignee' | 'unique-value' | 'created' | 'updated' | 'due' }
  | { readonly of: 'field'; readonly id: string };

/** A value to compare with; `null` stands for blank. */
export type Comparable = Stored | number | null;

/** One filter of a list, which is true or false for every task; only `tasks/store/` knows its SQL. */
export type Condition =
  Membership | Comparison | Containment | WordSearch | OverdueFilter | Alternatives | LinkedFilter;

/** At least one of the conditions is true. */
export interface Alternatives {
  readonly is: 'one-of';
  readonly subject: { readonly of: 'several' };
  readonly conditions: readonly Condition[];
}

/** At least one linked task meets all conditions; negated, none does. */
export interface LinkedFilter {
  readonly is: 'linked';
  readonly subject: { readonly of: 'links' };
  /** The side of the relationship at which the task stands. */
  readonly link: {
    readonly relationshipId: string;
    readonly isFrom: boolean;
    readonly otherWorkflowId: number;
  };
  readonly conditions: readonly Condition[];
  readonly isNegated: boolean;
}

export const isLinkedFilter = (condition: Condition): condition is LinkedFilter => condition.is === 'linked';

/** The subject is, or contains, one of these values; negated, it is and contains none. */
export interface Membership {
  readonly is: 'any-of';
  readonly subject: Subject;
  readonly values: readonly Comparable[];
  readonly isNegated: boolean;
  /** Whether the subject may have any value, so that each value is rare; false for options and the like. */
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

/** One of these is a part of the subject's text, ignoring case. */
export interface Containment {
  readonly is: 'contains';
  readonly subject: Subject;
  readonly texts: readonly string[];
}

/** A deadline of the task is overdue: this one, or any; negated, none is. */
export interface OverdueFilter {
  readonly is: 'overdue';
  readonly subject: { readonly of: 'deadlines' };
  readonly deadline: string | undefined;
  readonly isNegated: boolean;
}

/** For each word of this text, the task contains a word that begins with it, ignoring case. */
export interface WordSearch {
  readonly is: 'search';
  readonly subject: { readonly of: 'words' };
  readonly text: string;
}
