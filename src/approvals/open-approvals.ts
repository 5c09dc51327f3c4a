import { roleIdsOf } from '../workflows/model/roles.js';
import { type EntityManager } from 'typeorm';
import { deputyOf } from '../actions/requirements/approvals/who-may-approve.js';
import { isAvailable } from '../actions/action.js';
import { type ApprovalGroup } from '../actions/requirements/approvals/approval-group.js';
import { type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import { serviceTime } from '../common/database/shared-data-source.js';
import { sql } from '../common/database/sql.js';
import { todayIn } from '../common/calendar.js';
import { type User } from '../workflows/fields/field-type.js';
import { type IdPage } from '../common/id-page.js';
import { findTasksOfIds } from '../tasks/store/task.repository.js';
import { ofWorkflow, type TaskRow } from '../tasks/store/task-row.js';
import { titleProperty } from '../workflows/fields/serialize-task.js';
import { Scope } from '../workflows/model/scope.js';
import { type UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type OpenApproval } from './approval.dto.js';
import {
  type ActionApprovals,
  type ApprovedAction,
  approvedActions,
  fieldsRead,
  judgeLoaded,
  loadAll,
} from '../actions/requirements/approvals/read-approvals.js';

export interface FoundApproval {
  /** The cursor: the workflow, the task, and a number within the task. */
  readonly id: string;
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly approvals: ActionApprovals;
  readonly judged: JudgedGroup;
}

/** An open approval with its API form, for pages that also show the task. */
export interface WaitingApproval extends FoundApproval {
  readonly shown: OpenApproval;
}

/** Tasks are read in chunks. A page ends early after MAX_LOOKED_AT tasks. */
const CHUNK = 100;
const MAX_LOOKED_AT = 5000;

/** The groups that wait for a user's decision, after the cursor `after`, in the order of workflows and tasks. */
export async function openApprovals(
  work: UnitOfWork,
  known: readonly Workflow[],
  user: User,
  after: string,
  limit: number,
): Promise<IdPage<FoundApproval>> {
  const [workflowId = 0, taskId = '0', number = 0] = placeOf(after);
  const workflows = known.filter(({ id }) => id >= workflowId).sort((one, other) => one.id - other.id);
  const rows: FoundApproval[] = [];
  let looked = 0;
  for (const workflow of workflows) {
    const isFirst = workflow.id === workflowId;
    let [from, skipped] = isFirst ? [taskId, number] : ['0', 0];
    for (let hasMore = true; hasMore;) {
      const chunk = await work.read(new Scope(workflow), (db, scope) =>
        openInChunk(db, scope, user, from, skipped),
      );
      rows.push(...chunk.rows);
      looked += chunk.looked;
      if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.id };
      hasMore = chunk.last !== undefined;
      [from, skipped] = [chunk.last ?? from, 0];
      if (hasMore && looked >= MAX_LOOKED_AT) return { rows, next: `${workflow.id}.${from}.${LAST}` };
    }
  }
  return { rows, next: undefined };
}

/** More than the number of groups of any task. */
const LAST = 1_000_000;

/** The groups on the next chunk of tasks from task `from` on, without the first `skipped` groups of that task. */
async function openInChunk(
  db: EntityManager,
  scope: Scope,
  user: User,
  from: string,
  skipped: number,
): Promise<{ readonly rows: FoundApproval[]; readonly looked: number; readonly last: string | undefined }> {
  const candidate = candidateIn(scope.workflow, user, serviceTime(db));
  if (candidate.offers.length === 0) return { rows: [], looked: 0, last: undefined };
  const ids = await candidateTasks(db, scope.workflow, candidate, from, skipped > 0 && skipped < LAST);
  const found = await openOn(db, scope, candidate.actions, ids, user);
  return {
    rows: found.filter((row) => row.task.id !== from || numberOf(row) > skipped),
    looked: ids.length,
    last: ids.length < CHUNK ? undefined : ids.at(-1),
  };
}

function placeOf(after: string): [workflowId?: number, taskId?: string, number?: number] {
  const [workflowId, taskId, number] = after.split('.');
  return [Number(workflowId), taskId ?? '0', Number(number ?? 0)];
}

const numberOf = ({ id }: FoundApproval): number => Number(id.split('.')[2]);

interface Candidate {
  readonly actions: readonly ApprovedAction[];
  /** The stages of a group, and the field that must name the user; null if a role or name suffices. */
  readonly offers: readonly { readonly stages: readonly number[] | null; readonly field: string | null }[];
  /** The ids of the user and of those users whose deputy the user may be. */
  readonly ids: readonly string[];
}

function candidateIn(workflow: Workflow, user: User, now: Date): Candidate {
  const { users, stages } = workflow.schema;
  const today = todayIn(workflow.timezone, now);
  const ids = users.ranked.filter((id) => id === user.id || deputyOf(id, users, today)?.id === user.id);
  const actions = approvedActions(workflow);
  const offers = actions.flatMap(({ action, plan }) => {
    const offered = stages.all.filter(({ name }) => isAvailable(action, name)).map(({ id }) => id);
    return plan.groups.flatMap((group) => [
      ...(isNamed(group, workflow, ids) ? [{ stages: offered, field: null }] : []),
      ...(group.fieldId === undefined ? [] : [{ stages: offered, field: group.fieldId }]),
    ]);
  });
  return { actions, offers, ids };
}

function isNamed({ roles, userIds }: ApprovalGroup, { members }: Workflow, ids: readonly string[]): boolean {
  const isMember = members.some(
    (member) => ids.includes(member.userId) && roleIdsOf(member).some((role) => roles.includes(role)),
  );
  return isMember || userIds.some((id) => ids.includes(id));
}

async function candidateTasks(
  db: EntityManager,
  { workspaceId, id }: Workflow,
  { offers, ids }: Candidate,
  after: string,
  isAgain: boolean,
): Promise<string[]> {
  const stages = [...new Set(offers.flatMap((offer) => offer.stages ?? []))];
  const from = isAgain ? String(BigInt(after) - 1n) : after;
  const values = [workspaceId, id, from, stages, JSON.stringify(offers), ids, CHUNK];
  const rows = await sql<{ id: string }>(db, readCandidates, values);
  return rows.map((row) => row.id);
}

const readCandidates = {
  name: 'read-approval-candidates',
  text: `
    SELECT t.id::text AS id FROM tasks t
    WHERE ${ofWorkflow} AND t.id > $3::bigint AND t.stage_id = ANY($4::integer[]) AND EXISTS (
      SELECT FROM json_to_recordset($5::json) o (stages integer[], field text)
      WHERE t.stage_id = ANY(o.stages) AND (o.field IS NULL OR t.field_values ->> o.field = ANY($6::text[]))
    )
    ORDER BY t.id LIMIT $7`,
};

async function openOn(
  db: EntityManager,
  scope: Scope,
  actions: readonly ApprovedAction[],
  taskIds: readonly string[],
  user: User,
): Promise<FoundApproval[]> {
  if (taskIds.length === 0) return [];
  const { workflow } = scope;
  const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
  const title = titleProperty(workflow.schema.properties)?.fieldId ?? [];
  const fields = fieldsRead(workflow, actions).concat(title);
  const tasks = await findTasksOfIds(db, place, taskIds, fields);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const loaded = await loadAll(db, workflow, taskIds, actions);
  const found: FoundApproval[] = [];
  for (const taskId of taskIds) {
    const [task, facts] = [byId.get(taskId), loaded.get(taskId)];
    if (!task || !facts) continue;
    const stage = workflow.schema.stages.get(task.stageId).name;
    const offered = actions.filter(({ action }) => isAvailable(action, stage));
    const judged = await judgeLoaded(db, scope, task, offered, facts);
    const open = judged.flatMap((approvals) =>
      approvals.judged.groups
        .filter((group) => waitsFor(approvals, group, user))
        .map((group) => ({ approvals, group })),
    );
    open.forEach(({ approvals, group }, at) => {
      found.push({ id: `${workflow.id}.${taskId}.${at + 1}`, workflow, task, approvals, judged: group });
    });
  }
  return found;
}

/** Whether a group waits for this user. A group that was rejected or overridden waits for nobody. */
function waitsFor({ judged: { override } }: ActionApprovals, group: JudgedGroup, user: User): boolean {
  const isWaiting = !override && group.need === 'needed' && !group.isComplete && !group.isRejected;
  return isWaiting && group.open.includes(user.id);
}

export function showOpen(
  { workflow, task, approvals, judged }: FoundApproval,
  taskUrl: string,
): OpenApproval {
  const url = taskUrl
    .replaceAll('{workflow}', () => encodeURIComponent(workflow.slug))
    .replaceAll('{task}', () => task.publicId);
  const ended = judged.decisions.flatMap(({ state, decision }) =>
    state === 'stale' || state === 'expired' ? (decision.markedAt ?? []) : [],
  );
  const since = [new Date(approvals.loaded.stageAt).toISOString(), ...ended].sort().at(-1) ?? '';
  return {
    workflow: workflow.slug,
    task: { unique_id: task.uniqueValue, url },
    action: approvals.action.id,
    id: judged.group.id,
    needed: judged.group.count,
    given: judged.given,
    since,
  };
}
