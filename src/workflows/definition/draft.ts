import { type Change } from '../model/change.js';
import { type ChangedDefinition } from '../model/changed-definition.js';
import { type Effect } from '../model/effect.js';
import { type RuleLink } from '../model/rule-links.js';
import { type Fault } from './source/faults.js';

/** What an apply is about to do. */
export interface Draft extends ChangedDefinition {
  readonly kept: Plan['kept'];
  /** Which rules may start which others; empty unless rules or actions change. */
  readonly rules: readonly RuleLink[];
  readonly warnings: readonly Fault[];
}

/** What an apply would do, and how much data it would affect. */
export interface Plan {
  readonly workspace: string;
  /** The version in force; 0 for a new workspace. */
  readonly version: number;
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
  /** Elements in force that the file does not name: pruning would remove them, or deactivate them if they are users. */
  readonly kept: readonly Pick<Change, 'what' | 'name'>[];
  /** Which rules may start which others; empty unless rules or actions change. */
  readonly rules: readonly RuleLink[];
  /** Likely mistakes, which do not prevent an apply. */
  readonly warnings: readonly Fault[];
}
