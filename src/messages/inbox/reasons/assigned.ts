import { type RecordedEvent } from '../../../events/events.repository.js';
import { type ReasonType } from '../reason.js';

export const whenAssigned: ReasonType = {
  types: ['task.created', 'task.updated', 'checklist_item.created', 'checklist_item.updated'],
  whom: ({ event }) => newAssignee(event) ?? [],
};

function newAssignee({ type, assigneeTo, about, valuesFrom }: RecordedEvent): string[] | undefined {
  if (type.startsWith('task.')) return assigneeTo === null ? undefined : [assigneeTo];
  const [before, after] = [valuesFrom?.['assignee'], about?.['assignee']];
  return typeof after === 'string' && after !== before ? [after] : undefined;
}
