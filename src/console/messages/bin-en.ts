/** What the pages say in English of deleting and restoring tasks. */
export const binEn = {
  title: 'Bin',
  lead: 'Tasks deleted in the last 30 days. A restored task has its ID, values, files, comments, checklist and history again.',
  nothing: 'The bin is empty',
  nothingMore: 'Deleted tasks stay here for 30 days.',
  by: 'deleted by',
  byProgram: 'a program',
  delete: 'Delete this task…',
  question: (task: string) => `Delete ${task}?`,
  questionMore:
    'You and administrators can restore it for 30 days, with its values, files, comments, checklist and history. Approvals, planned actions and links to tasks deleted by then do not come back.',
  button: 'Delete',
  deleted: (task: string) => `${task} is deleted`,
  deletedMore: 'You can restore it for 30 days; administrators find it in the bin.',
  restore: 'Restore',
  restoreOf: (task: string) => `Restore ${task}`,
  restored: (task: string) => `${task} is restored`,
  left: (names: string) => `Not restored: ${names}.`,
  leftMore: 'This was removed since then, is linked elsewhere, or no longer fits the definition.',
  open: 'Open the task',
};
