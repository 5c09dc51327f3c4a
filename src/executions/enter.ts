import { type EntityManager } from 'typeorm';
import { sql, type Statement } from '../database/sql.js';
import { assertedAtOnce } from '../records/assert-definition.js';

/** An execution that is wanted. */
export interface NewExecution {
  readonly workspaceId: number;
  readonly workflowId: number;
  /** The ids of the stages that the task may stand in; null: any. */
  readonly stages: readonly number[] | null;
  readonly actionId: string;
  readonly actionName: string;
  readonly performerId: string | null;
  readonly definition: number;
  readonly steps: readonly unknown[];
}

/** A Pending execution that has just been entered. */
export interface Entered {
  readonly id: string;
  /** Whether another of its task is Pending. When that one ends meanwhile, it does not know of this one. */
  readonly isBehind: boolean;
}

/**
 * Enters a Pending execution of the task of this id; undefined where there is none in such a stage. Throws when its
 * definition is not in force any more.
 */
export async function enter(
  db: EntityManager,
  taskId: string,
  execution: NewExecution,
): Promise<Entered | undefined> {
  return insert(db, inTurn, taskId, execution);
}

/**
 * The same of the task of this Unique ID, sooner; undefined also where it would have to wait for whoever holds the task
 * or the definition.
 */
export async function enterAtOnce(
  db: EntityManager,
  uniqueId: string,
  execution: NewExecution,
): Promise<Entered | undefined> {
  return insert(db, atOnce, uniqueId, execution);
}

async function insert(
  db: EntityManager,
  statement: Statement,
  task: string,
  { workspaceId, workflowId, stages, actionId, actionName, performerId, definition, steps }: NewExecution, // prettier-ignore
): Promise<Entered | undefined> {
  const values = [
    workspaceId,
    workflowId,
    task,
    actionId,
    actionName,
    performerId,
    definition,
    JSON.stringify(steps),
    stages,
  ];
  const [entered] = await sql<Entered>(db, statement, values);
  return entered;
}

const insertion = (isTask: string, isInForce: string, locking: string): string => `
  INSERT INTO executions
    (workspace_id, workflow_id, task_id, action_id, action_name, performer_id, definition, steps)
  SELECT $1, $2, t.id, $4, $5, $6, $7::integer, $8
  FROM tasks t
  WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND ${isTask}
    AND ($9::integer[] IS NULL OR t.stage_id = ANY($9)) AND ${isInForce} ${locking}
  RETURNING id, EXISTS (
    SELECT FROM executions o
    WHERE o.workspace_id = $1 AND o.workflow_id = $2 AND o.task_id = executions.task_id AND o.status = 'Pending'
  ) AS "isBehind"`;

const inTurn = {
  name: 'enter-execution',
  text: insertion('t.id = $3::bigint', 'assert_definition($1, $2, $7)', ''),
};
const atOnce = {
  name: 'enter-execution-at-once',
  text: insertion('t.unique_value = $3', assertedAtOnce('$7'), 'FOR KEY SHARE OF t SKIP LOCKED'),
  isPrompt: true,
};
