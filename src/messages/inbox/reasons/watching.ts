import { type ReasonType } from '../reason.js';
import { whenDue } from './due.js';
import { whenFailed } from './failed.js';

export const whileWatching: ReasonType = {
  types: [
    'task.updated',
    'comment.created',
    'checklist_item.created',
    'checklist_item.updated',
    'checklist_item.deleted',
    ...whenFailed.types,
    ...whenDue.types,
    'approval.decided',
    'approval.overridden',
    'approval.stale',
  ],
  whom: ({ watchers }) => [...watchers].filter(([, state]) => state !== 'muted').map(([user]) => user),
};
