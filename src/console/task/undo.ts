import { type Json, toJson } from '../../../packages/exact-json/json.js';
import { type SignedIn } from '../reader.js';
import { type HistoryEvent, type TaskData } from './task-data.js';

/** Whether this is the last that has happened to the task, done by the reader by hand, and of values alone: so it can be taken back. */
export function isUndone(
  { to, history, isEditable }: Pick<TaskData, 'history'> & { to: SignedIn; isEditable: boolean },
  { id, type, data }: HistoryEvent,
): boolean {
  const isOwn = data.actor.kind === 'user' && data.actor.id === to.user.email;
  const isByHand = data.execution === null && data.cause === null;
  const changes = Object.values(data.changes ?? {});
  const isOfValues = changes.length > 0 && changes.every((change) => 'from' in change);
  return (
    isEditable && type === 'task.updated' && history.shown[0]?.id === id && isOwn && isByHand && isOfValues
  );
}

/** What gives the task back what it held before. */
export function undoingOf({ data }: HistoryEvent): ReadonlyMap<string, Json> {
  return new Map(Object.entries(data.changes ?? {}).map(([name, { from }]) => [name, toJson(from ?? null)]));
}
