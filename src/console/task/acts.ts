import { type HistoryChange, type HistoryEvent } from './task-data.js';

/** What somebody did: an event, or all that one execution changed of the task. */
export interface Act {
  readonly event: HistoryEvent;
  /** What it changed, by the names of keys. */
  readonly changes: readonly (readonly [name: string, change: HistoryChange])[];
}

/** The acts of some events, in their order. A comment is shown itself. */
export function actsIn(events: readonly HistoryEvent[]): Act[] {
  const acts = new Map<string, HistoryEvent[]>();
  for (const event of events) {
    if (event.type === 'comment.created') continue;
    const key = keyOf(event);
    acts.set(key, [...(acts.get(key) ?? []), event]);
  }
  return Array.from(acts.values(), actOf);
}

/** Events of one execution are one act. */
function keyOf({ id, type, data: { execution } }: HistoryEvent): string {
  const isOfExecution = type === 'task.updated' || type.startsWith('execution.');
  return (isOfExecution && execution?.id) || id;
}

function actOf(events: readonly HistoryEvent[]): Act {
  const told = events.find(({ type }) => type.startsWith('execution.')) ?? events[0];
  if (!told) throw new Error('An act has events.');
  const changes = events.flatMap(({ type, data }) =>
    type === 'task.created' ? [] : Object.entries(data.changes ?? {}),
  );
  return { event: told, changes };
}
