import { type TriggerType } from './trigger.js';
import {
  approvalComplete,
  approvalRejected,
  approvalStale,
  executionFailed,
  executionSucceeded,
} from './triggers/action.js';
import { assignedTo } from './triggers/assigned.js';
import { checklistCompleted } from './triggers/checklist-completed.js';
import { commented } from './triggers/commented.js';
import { created } from './triggers/created.js';
import { fieldChanged } from './triggers/field-changed.js';
import { hook } from './triggers/hook.js';
import { linked } from './triggers/linked.js';
import { stageEntered, stageLeft } from './triggers/stage.js';

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
