import { type FieldIndex, type Stored } from './field-type.js';

/** Lists are filtered and sorted by this part of a task. Only `tasks/store/` translates the part to SQL. */
export type Subject =
  | { readonly of: 'stage' | 'active' | 'assignee' | 'unique-value' | 'created' | 'updated' | 'due' }
  | { readonly of: 'field'; readonly id: string };

/** A value to compare with; `null` stands for blank. */
export type Comparable = Stored | number | null;

/** A filter of a list: true or false for each task. Only `tasks/store/` translates it to SQL. */
export type Condition =
  Membership | Comparison | Containment | WordSearch | OverdueFilter | Alternatives | LinkedFilter;

/** True if the task meets at least one of these conditions. */
export interface Alternatives {
  readonly is: 'one-of';
  readonly subject: { readonly of: 'several' };
  readonly conditions: readonly Condition[];
}

/**
 * True if at least one task that is linked to the filtered task meets all these conditions. If negated, true
 * if no linked task does.
 */
export interface LinkedFilter {
  readonly is: 'linked';
  readonly subject: { readonly of: 'links' };
  /** The relationship. `isFrom` is true if the filtered task is on the side that the definition calls `from`. */
  readonly link: {
    readonly relationshipId: string;
    readonly isFrom: boolean;
    readonly otherWorkflowId: number;
  };
  readonly conditions: readonly Condition[];
  readonly isNegated: boolean;
}

export const isLinkedFilter = (condition: Condition): condition is LinkedFilter => condition.is === 'linked';

/**
 * True if the subject equals or contains one of these values. If negated, true if the subject neither equals
 * nor contains any of these values.
 */
export interface Membership {
  readonly is: 'any-of';
  readonly subject: Subject;
  readonly values: readonly Comparable[];
  readonly isNegated: boolean;
  /**
   * True for texts, numbers and times: the store then assumes that few tasks have the same value. False or
   * absent for stages, options, users and checkboxes.
   */
  readonly isOpen?: boolean;
  readonly index?: FieldIndex | undefined;
}

/** True if the subject is not blank, and if comparing it with at least one of these bounds gives true. */
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

/** True if the subject's text contains at least one of these texts. Case is ignored. */
export interface Containment {
  readonly is: 'contains';
  readonly subject: Subject;
  readonly texts: readonly string[];
}

/**
 * True if the deadline with the id `deadline` is overdue. If `deadline` is undefined, true if any deadline of
 * the task is overdue. If negated, true if no such deadline is overdue.
 */
export interface OverdueFilter {
  readonly is: 'overdue';
  readonly subject: { readonly of: 'deadlines' };
  readonly deadline: string | undefined;
  readonly isNegated: boolean;
}

/** True if each word of this text is the beginning of a word in the task. Case is ignored. */
export interface WordSearch {
  readonly is: 'search';
  readonly subject: { readonly of: 'words' };
  readonly text: string;
}
