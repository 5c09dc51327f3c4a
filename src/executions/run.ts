import { type EntityManager } from 'typeorm';
import { type JsonObject } from '../schema/json.js';
import { judgeUpdate } from '../schema/judge-task.js';
import { parseTask } from '../schema/parse-task.js';
import { type TaskChange } from '../schema/task-change.js';
import { type TaskRow } from '../records/task-row.js';
import { type Workflow } from '../workflows/workspace.js';
import { type StepAnswer } from './ledger.js';
import { type Situation } from './situation.js';
import { StepFailed } from './step-failed.js';

/** Steps under way on a working copy of a task. */
export interface Run {
  /** The task as the steps so far have made it, and who wants it. */
  situation: Situation & { readonly task: TaskRow };
  /** What they have changed of it so far. */
  change: TaskChange;
  readonly actionName: string;
  /** The workflow of another task of the workspace. */
  readonly workflowOf: (id: number) => Workflow;
  /** What an `api_call` is answered; asks for it only once in the life of an execution. */
  call: (request: ApiCall) => Promise<StepAnswer>;
  /** A secret of the workspace. */
  readonly secret: (name: string) => string;
  /** The transaction that has locked the task and those linked to it; absent while the steps are only rehearsed. */
  readonly tx: EntityManager | undefined;
  /** Whether a step has changed links of the task. */
  isTouched: boolean;
  isDeleted: boolean;
}

/** An HTTP request of a step. */
export interface ApiCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly tries: number;
}

/** Changes the working copy as a payload asks, under the usual validation. */
export function changeTask(run: Run, payload: JsonObject): void {
  const { workflow, task } = run.situation;
  const parsed = parseTask(workflow.schema, payload);
  const { uniqueValue } = parsed.change;
  if (uniqueValue !== undefined && uniqueValue !== task.uniqueValue)
    throw new StepFailed(`${workflow.schema.uniqueId?.name ?? ''} cannot be changed by a step`);
  judgeUpdate(workflow.schema, parsed, task).throwIfAny();
  run.change = merged(run.change, parsed.change);
  run.situation = { ...run.situation, task: changed(task, parsed.change) };
}

function merged(before: TaskChange, { set, blank, stageId, assigneeId }: TaskChange): TaskChange {
  const kept = [...before.set].filter(([field]) => !blank.has(field));
  const blanked = [...before.blank].filter((field) => !set.has(field));
  return {
    ...before,
    ...(stageId !== undefined && { stageId }),
    ...(assigneeId !== undefined && { assigneeId }),
    set: new Map([...kept, ...set]),
    blank: new Set([...blanked, ...blank]),
  };
}

function changed(task: TaskRow, { set, blank, stageId, assigneeId }: TaskChange): TaskRow {
  const kept = Object.entries(task.fieldValues).filter(([field]) => !blank.has(field));
  return {
    ...task,
    stageId: stageId ?? task.stageId,
    assigneeId: assigneeId === undefined ? task.assigneeId : assigneeId,
    fieldValues: Object.fromEntries([...kept, ...set]),
  };
}
