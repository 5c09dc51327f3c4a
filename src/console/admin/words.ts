import { adminEn } from '../messages/admin-en.js';
import { timeEn } from '../messages/time-en.js';

/** What the pages of the administration say. */
export const en = {
  workflows: 'Workflows',
  faulty: 'Correct the marked fields.',
  yes: 'Yes',
  no: 'No',
  none: 'None',
  save: 'Save',
  edit: 'Edit',
  remove: 'Remove',
  cancel: 'Cancel',
  sessions: {
    browser: 'Browser',
    since: 'Since',
    seen: 'Last used',
    everywhere: 'Sign out everywhere',
  },
  task: {
    required: 'required',
    where: 'Breadcrumb',
    history: 'History',
    moreLinked: (count: number) => `and ${count} more`,
    checklist: 'Checklist',
    inStages: (stages: string) => `in ${stages}`,
    byKey: (name: string) => `API (${name})`,
    blank: 'blank',
  },
  board: { clear: 'Clear all', any: 'Any' },
  list: { pages: 'Pages', next: 'Next page', task: 'Task' },
  deletion: { open: 'Open the task' },
  mail: { undeliverable: { mark: 'Mail undeliverable' } },
  time: timeEn,
  admin: adminEn,
};
