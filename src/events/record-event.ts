import { type EntityManager } from 'typeorm';
import { type Source } from '../common/origin.js';
import { sql } from '../common/database/sql.js';
import { type RecordedEvent } from './events.repository.js';

/** An event that the service inserts, because no database trigger records it. */
interface NewEvent {
  readonly workspaceId: number;
  readonly type: string;
  readonly task?: EventTaskKey | undefined;
  readonly workflowId: number | null;
  readonly origin: Source | undefined;
  /**
   * The subject of the event. `{ kind: id, … }` is serialized as `"kind": { "id": id, … }`, unless
   * serialize-event.ts has another form for the type of the event.
   */
  readonly about: object;
}

export type EventTaskKey = Pick<RecordedEvent, 'taskId' | 'publicId' | 'uniqueValue' | 'version'>;

export async function recordEvent(
  tx: EntityManager,
  event: NewEvent,
): Promise<{ readonly id: string; readonly place: string }> {
  const { workspaceId, type, task, workflowId, origin, about } = event;
  const of = [task?.taskId, task?.publicId, task?.uniqueValue, task?.version];
  const values = [
    workspaceId,
    type,
    workflowId,
    origin && JSON.stringify(origin),
    JSON.stringify(about),
    ...of,
  ];
  const [row] = await sql<{ id: string; place: string }>(tx, record, values);
  if (!row) throw new Error('an event was not recorded');
  return row;
}

const record = {
  name: 'record-event',
  text: `
    INSERT INTO events (workspace_id, type, workflow_id, origin, about, task_id, public_id, unique_value, version)
    VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9) RETURNING id, place`,
};
