import { type Change } from './merge/diff.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { type Removals } from './store/removals.js';
import { type WorkspaceRows } from '../workspace/workspace-rows.js';
import { type Effect } from './impact/effect.js';
import { type RuleLink } from '../rules/rule-graph.js';
import { type Fault } from './source/faults.js';

/** What an apply is about to do. */
export interface Draft {
  readonly rows: WorkspaceRows;
  readonly stored: WorkspaceDefinition | undefined;
  readonly merged: WorkspaceDefinition;
  readonly changes: readonly Change[];
  readonly removals: Removals;
  readonly kept: Plan['kept'];
  /** Where rules or actions change: which rules may start which then. */
  readonly rules: readonly RuleLink[];
  readonly warnings: readonly Fault[];
}

/** What an apply would do, and to how much. */
export interface Plan {
  readonly workspace: string;
  /** The version that is in force; 0 where the workspace is new. */
  readonly version: number;
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
  /** What is in force, is not named, and would be removed by pruning, or deactivated. */
  readonly kept: readonly Pick<Change, 'what' | 'name'>[];
  /** Where rules or actions change: which rules may start which then. */
  readonly rules: readonly RuleLink[];
  /** What is likely to be a mistake, and keeps nothing from being applied. */
  readonly warnings: readonly Fault[];
}

/** How far a long piece of work has come. */
export interface ApplyProgress {
  /** `moving tasks`. */
  readonly task: string;
  readonly done: number;
  readonly total: number;
}

export type OnProgress = (progress: ApplyProgress) => void;
