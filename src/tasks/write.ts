import { type EntityManager } from 'typeorm';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { type ParsedTask } from '../workflows/fields/parse-task.js';
import { type UploadedFile } from './files/blobs.repository.js';
import { type Precondition } from './store/task-row.js';
import { type Scope } from '../workflows/model/scope.js';
import { type PublicName, type TaskName } from '../workflows/model/task-name.js';

export interface Write {
  readonly verb: 'upsert' | 'update';
  /** The task to update, if the payload does not name it. */
  readonly task?: PublicName | undefined;
  readonly payload: JsonObject;
  readonly precondition: Precondition;
  readonly idempotencyKey?: string | undefined;
  readonly extraChanges?: ExtraChanges | undefined;
  /** Whether to refuse the write if it would take a linked task away from another task. */
  readonly linksOnlyFree?: boolean | undefined;
}

/** Further changes. A write makes them in its transaction after it has written the task. */
export interface ExtraChanges {
  /** What the client requested. It must be the same in all requests with the same idempotency key. */
  readonly request: Json;
  write(tx: EntityManager, scope: Scope, taskId: string): Promise<void>;
}

export interface ParsedWrite extends Write {
  readonly parsed: ParsedTask;
  readonly uploaded: Map<string, UploadedFile>;
}

/** Returns the name of the task to write; null if the write contains no name. */
export const nameIn = ({ task, parsed }: ParsedWrite): TaskName | null =>
  task ?? parsed.change.uniqueValue ?? null;
