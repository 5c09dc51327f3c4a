/** What can be said of a checklist item. */
export const statuses = ['Blank', 'Skipped', 'Completed'] as const;
