import { type Json, toJson } from '../../../packages/exact-json/json.js';
import { type SignedIn } from '../reader.js';
import { shownValueOf } from './task-view.js';
import { type HistoryEvent, type TaskData } from './task-data.js';

/** The last change that the reader made by hand, of values alone and which the task still holds: it can be taken back. */
export function undoableOf({ reader, history, task, scope }: UndoView): HistoryEvent | undefined {
  const last = history.shown.find(({ type, data }) => type === 'task.updated' && isByHandOf(reader, data));
  const changes = Object.entries(last?.data.changes ?? {});
  const isHeld = changes.every(([name, change]) => {
    const property = scope.workflow.schema.byName.get(name);
    const held = property && JSON.stringify(shownValueOf(property, { task }));
    return 'from' in change && held === JSON.stringify(change.to ?? null);
  });
  return changes.length > 0 && isHeld ? last : undefined;
}

interface UndoView extends Pick<TaskData, 'history' | 'task' | 'scope'> {
  readonly reader: SignedIn;
}

const isByHandOf = ({ user }: SignedIn, { actor, execution, cause }: HistoryEvent['data']): boolean =>
  actor.kind === 'user' && actor.id === user.email && execution === null && cause === null;

/** What gives the task back what it held before. */
export function undoingOf({ data }: HistoryEvent): ReadonlyMap<string, Json> {
  return new Map(Object.entries(data.changes ?? {}).map(([name, { from }]) => [name, toJson(from ?? null)]));
}
