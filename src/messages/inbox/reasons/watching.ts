import { type ReasonType } from '../reason.js';

/** The user watches the task. */
export const whileWatching: ReasonType = {
  types: [
    'task.updated',
    'comment.created',
    'checklist_item.created',
    'checklist_item.updated',
    'checklist_item.deleted',
    'execution.failed',
    'clock.fired',
    'approval.decided',
    'approval.overridden',
    'approval.stale',
  ],
  whom: ({ watchers }) => [...watchers].filter(([, state]) => state !== 'muted').map(([user]) => user),
};
