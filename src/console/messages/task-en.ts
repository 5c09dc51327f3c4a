import { plural } from '../parts/number.js';
import { type ShownActivity } from '../task/task-view.js';

/** What the page of a task says in English beside what was said there before it had a panel. */
export const taskEn = {
  toAction: 'Skip to the next action',
  next: 'Next',
  others: 'Other actions',
  needs: (action: string, reasons: string) => `${action} needs: ${reasons}`,
  possible: (action: string) => `${action} is possible now`,
  givesUp: (action: string) => `${action}: this gives the task up.`,
  take: 'Take it away there',
  linkedTo: (task: string, owner: string) => `linked to ${task} (${owner})`,
  takeIt: 'Assign to me',
  itemsDone: (done: number, all: number) => `${done} of ${all} done`,
  stages: 'Stages',
  moveByHand: 'Move by hand',
  emptyFields: (count: number) => plural(count, 'empty field'),
  more: 'Show more',
  less: 'Show less',
  activity: 'Activity',
  filter: 'Show',
  shows: { all: 'All', comments: 'Comments', changes: 'Changes' } satisfies Record<ShownActivity, string>,
  nothingYet: 'Nothing yet.',
  undo: 'Undo',
  preview: 'Preview',
  noPreview: 'This file has no preview. Open it with its link.',
};
