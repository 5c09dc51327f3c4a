import { type TriggerType } from './trigger.js';
import { approvalComplete } from './triggers/approval-complete.js';
import { approvalRejected } from './triggers/approval-rejected.js';
import { approvalStale } from './triggers/approval-stale.js';
import { assignedTo } from './triggers/assigned.js';
import { checklistCompleted } from './triggers/checklist-completed.js';
import { commented } from './triggers/commented.js';
import { created } from './triggers/created.js';
import { executionFailed } from './triggers/execution-failed.js';
import { executionSucceeded } from './triggers/execution-succeeded.js';
import { fieldChanged } from './triggers/field-changed.js';
import { hook } from './triggers/hook.js';
import { linked } from './triggers/linked.js';
import { stageEntered } from './triggers/stage-entered.js';
import { stageLeft } from './triggers/stage-left.js';

/** All kinds of triggers by their name in a rule's `on`. */
export const triggerTypes: ReadonlyMap<string, TriggerType> = new Map([
  ['created', created],
  ['field_changed', fieldChanged],
  ['stage_entered', stageEntered],
  ['stage_left', stageLeft],
  ['assigned', assignedTo],
  ['linked', linked],
  ['commented', commented],
  ['checklist_completed', checklistCompleted],
  ['execution_succeeded', executionSucceeded],
  ['execution_failed', executionFailed],
  ['approval_complete', approvalComplete],
  ['approval_rejected', approvalRejected],
  ['approval_stale', approvalStale],
  ['hook', hook],
]);
