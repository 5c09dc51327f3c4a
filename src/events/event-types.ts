/** Every type of event. */
export const eventTypes = [
  'task.created',
  'task.updated',
  'task.deleted',
  'checklist_item.created',
  'checklist_item.updated',
  'checklist_item.deleted',
  'comment.created',
  'execution.started',
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'definition.applied',
] as const;
