import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type StepOutcome } from './ledger.js';

/** An execution as the ledger has it. */
export interface FoundExecution {
  readonly id: string;
  readonly status: 'Pending' | 'Success' | 'Fail';
  readonly errors: readonly string[] | null;
  readonly actionId: string;
  readonly actionName: string;
  readonly performerId: string | null;
  /** The version of the definition that it was begun under. */
  readonly definition: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly outcomes: readonly StepOutcome[];
}

export const executionColumns = `
  e.id, e.status, e.errors, e.action_id AS "actionId", e.action_name AS "actionName",
  e.performer_id AS "performerId", e.definition, e.created_at AS "createdAt", e.started_at AS "startedAt",
  e.finished_at AS "finishedAt", e.outcomes`;

/** The execution of this id in the workflow. */
export async function findExecution(
  db: EntityManager,
  { workspaceId, id: workflowId }: Workflow,
  id: string,
): Promise<FoundExecution | undefined> {
  const [row] = await sql<FoundExecution>(db, find, [workspaceId, workflowId, id]);
  return row;
}

const find = {
  name: 'find-execution',
  text: `
    SELECT ${executionColumns} FROM executions e
    WHERE e.workspace_id = $1 AND e.workflow_id = $2 AND e.id = $3`,
};
