/** What the pages say in English of deleting tasks. */
export const deletionEn = {
  ask: 'Delete this task…',
  question: (task: string) => `Delete ${task}?`,
  questionMore: 'This is permanent: its values, files, comments and checklist cannot be restored.',
  button: 'Delete',
  open: 'Open the task',
};
