import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { actionOf } from '../actions/action.js';
import { namesOfKeys } from '../access/api-keys.js';
import { sql, type Statement } from '../common/database/sql.js';
import { type Given } from '../actions/given.js';
import { type ExecutionStatus } from '../common/column-values.js';
import { ExecutionEntity } from './execution.entity.js';
import { type TaskEntity } from '../tasks/store/task.entity.js';
import { sourceOf } from '../common/origin.js';
import { eventsSetAside, type SetAside } from '../events/followers/followers.repository.js';
import { type Stretch } from '../common/id-page.js';
import { knownEnd, knownIn, knownTo } from '../workflows/model/known.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Administration } from '../workflows/model/roles.js';
import { Scope } from '../workflows/model/scope.js';
import { findWorkflow, type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type Answers } from './run-steps.js';
import { executionColumns, type FoundExecution, wasCancelled } from './executions.repository.js';

/** An administrator, and the workflows whose executions the administrator may see. */
interface Watcher {
  readonly workspace: Workspace;
  readonly user: Readonly<Pick<User, 'id'>>;
  readonly administers: Pick<Administration, 'workflowIds'>;
}

export interface WatchedExecution extends FoundExecution, Readonly<Pick<ExecutionEntity, 'workflowId'>> {
  /** Null if the task was deleted. */
  readonly task: Readonly<Pick<TaskEntity, 'publicId' | 'uniqueValue'>> | null;
  readonly isCancelled: boolean;
  /** The name, or else the id, of the key that started the execution. Undefined if no key did. */
  readonly keyName: string | undefined;
}

export interface WholeExecution extends WatchedExecution {
  readonly steps: readonly StepDefinition[];
  readonly answers: Answers;
  readonly given: Given | null;
  /** Whether the execution is Pending and has not begun. Only then can it be cancelled. */
  readonly isWaiting: boolean;
}

/** Tells whether an execution can be started again. */
export interface Retry {
  /** The Unique ID of the task, if the execution can be started again. */
  readonly task?: string;
  readonly questions: readonly string[];
  /** Why a failed execution cannot be started again. */
  readonly cannot?: string;
}

export interface SeenExecution {
  readonly execution: WholeExecution;
  readonly workflow: Workflow;
  readonly retry: Retry;
}

interface WatchedFilter {
  readonly status: ExecutionStatus | undefined;
  readonly workflow: Pick<Workflow, 'id'> | undefined;
  /** The last id of the previous page. If no execution has this id, the page starts with the newest one. */
  readonly after: string | undefined;
}

/** The executions in the workflows that an administrator may see. Hides the names of all other workflows. */
@Injectable()
export class ExecutionsOverview {
  constructor(@InjectRepository(ExecutionEntity) private readonly executions: Repository<ExecutionEntity>) {}

  async list(
    watcher: Watcher,
    { status, after, workflow }: WatchedFilter,
  ): Promise<Stretch<WatchedExecution>> {
    const workflowIds = watcher.administers.workflowIds.filter(
      (id) => workflow === undefined || id === workflow.id,
    );
    const rows = await this.read<WatchedExecution>(watcher, listOf(status), [workflowIds, after, ROWS + 1]);
    const shown = rows.slice(0, ROWS);
    return { shown, next: rows.length > ROWS ? shown.at(-1)?.id : undefined };
  }

  /** The execution with this id, if the administrator may see its workflow. */
  async find(watcher: Watcher, id: string): Promise<SeenExecution | undefined> {
    const { workspace, administers } = watcher;
    const [execution] = await this.read<WholeExecution>(watcher, find, [administers.workflowIds, id]);
    const workflow = findWorkflow(workspace, execution?.workflowId);
    return execution && workflow && { execution, workflow, retry: await retryOf(execution, workflow) };
  }

  async eventsSetAside({ id }: Workspace): Promise<SetAside[]> {
    return eventsSetAside(this.executions.manager, id);
  }

  private async read<Of extends WatchedExecution>(
    { workspace, user: { id: userId } }: Watcher,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Of[]> {
    const db = this.executions.manager;
    const rows = await sql<Of & WatchedRow>(db, statement, [workspace.id, ...values]);
    const known = knownIn(knownTo(workspace, { userId }));
    return (await named(db, workspace.id, rows)).map((row) => knownEnd(row, known));
  }
}

async function retryOf({ status, task, actionId }: WholeExecution, workflow: Workflow): Promise<Retry> {
  if (status !== 'Fail') return { questions: [] };
  if (!task) return { questions: [], cannot: 'the task was deleted' };
  if (task.uniqueValue === null) return { questions: [], cannot: 'the task has no Unique ID' };
  const action = await actionOf(new Scope(workflow), actionId);
  return action
    ? { questions: action.questions, task: task.uniqueValue }
    : { questions: [], cannot: 'the definition no longer has this action' };
}

const ROWS = 50;

type WatchedRow = Omit<WatchedExecution, 'keyName'> & Readonly<Pick<ExecutionEntity, 'origin'>>;

async function named<Row extends WatchedRow>(
  db: EntityManager,
  workspaceId: number,
  rows: readonly Row[],
): Promise<(Row & Pick<WatchedExecution, 'keyName'>)[]> {
  const keyOf = ({ origin }: Row): string | undefined => sourceOf(origin).key;
  const names = await namesOfKeys(db, workspaceId, new Set(rows.map(keyOf).filter((id) => id !== undefined)));
  return rows.map((row) => {
    const key = keyOf(row);
    return { ...row, keyName: key === undefined ? undefined : (names.get(key) ?? key) };
  });
}

const columns = `
  ${executionColumns}, e.workflow_id AS "workflowId", e.origin, ${wasCancelled} AS "isCancelled",
  CASE WHEN t.id IS NOT NULL THEN json_build_object('publicId', t.public_id, 'uniqueValue', t.unique_value) END AS task`;
const ofTask =
  'LEFT JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.task_id';

/** One statement for each status, so that PostgreSQL can use the partial index of the status. */
const listOf = (status: ExecutionStatus | undefined): Statement => ({
  name: `list-watched-executions-${status ?? 'all'}`,
  text: `
    SELECT ${columns} FROM unnest($2::integer[]) w (id) CROSS JOIN LATERAL (
      SELECT * FROM executions e
      WHERE e.workspace_id = $1 AND e.workflow_id = w.id ${status === undefined ? '' : `AND e.status = '${status}'`}
        AND e.place < COALESCE(
          (SELECT o.place FROM executions o WHERE o.workspace_id = $1 AND o.id = $3::text), 9223372036854775807
        )
      ORDER BY e.place DESC LIMIT $4
    ) e ${ofTask}
    ORDER BY e.place DESC LIMIT $4`,
});

const find = {
  name: 'find-watched-execution',
  text: `
    SELECT ${columns}, e.steps, e.answers, e.given, e.claims = 0 AND e.started_at IS NULL AND e.status = 'Pending' AS "isWaiting"
    FROM executions e ${ofTask}
    WHERE e.workspace_id = $1 AND e.workflow_id = ANY($2::integer[]) AND e.id = $3`,
};
