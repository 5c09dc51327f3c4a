import { type PlainColumn } from '../../common/database/json-columns.js';

/** One difference between two definitions. */
export interface Change {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  /** `workspace`, or the name of a kind: `stage`, `checklist item`. */
  readonly what: string;
  /** The path of the element: `vendors / Tier`. */
  readonly name: string;
  readonly detail?: string;
  /** The differences within the element, for a `change`. */
  readonly alterations?: readonly Alteration[];
  /** Whether somebody may do more by it, or less is needed: a new member, the last role that goes. */
  readonly relaxes?: true;
}

/** One difference within an element of a definition. */
export interface Alteration {
  /** The path of the difference: `steps["Close"].stage`. */
  readonly at: string;
  /** Absent if the value was added. */
  readonly before?: PlainColumn;
  /** Absent if the value was removed. */
  readonly after?: PlainColumn;
  /** Whether somebody may do more than before, or less is needed, by the word of the setting. */
  readonly relaxes?: true;
}
