import { type EntityManager } from 'typeorm';
import { isAvailable } from '../actions/action.js';
import { type ApprovalPlan, approvedActions } from '../actions/requirements/approvals/approval-group.js';
import { loadApprovals } from '../actions/requirements/approvals/approvals.repository.js';
import {
  fieldsRead,
  judgeLoaded,
  type ReadApprovals,
} from '../actions/requirements/approvals/read-approvals.js';
import { type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import { deputyOf, namedInDefinition } from '../actions/requirements/approvals/who-may-approve.js';
import { todayIn } from '../common/calendar.js';
import { serviceTime } from '../common/database/shared-data-source.js';
import { sql } from '../common/database/sql.js';
import { type IdPage } from '../common/id-page.js';
import { findTasksOfIds } from '../tasks/store/task.repository.js';
import { ofWorkflow } from '../tasks/store/task-row.js';
import { type User } from '../workflows/fields/field-type.js';
import { titleProperty } from '../workflows/fields/task-title.js';
import { Scope } from '../workflows/model/scope.js';
import { type UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type Workflow } from '../workflows/model/workspace.js';

/** A group in which the user may still decide. */
export interface WaitingApproval {
  /** The cursor: the ids of workflow and task, and the number of the group among those open in the task. */
  readonly id: string;
  readonly approvals: ReadApprovals;
  readonly group: JudgedGroup;
  /** The later of two times: when the task entered its stage, and when a decision last became stale. */
  readonly since: string;
}

/** How many tasks are read together. */
const CHUNK = 100;
/** A page ends early after about this many tasks, so that a request does not take too long. */
const MAX_LOOKED_AT = 5000;

/** Finds the groups in which a user may decide, after the cursor `after`, sorted by workflow and task. */
export async function openApprovals(
  work: UnitOfWork,
  known: readonly Workflow[],
  user: User,
  after: string,
  limit: number,
): Promise<IdPage<WaitingApproval>> {
  const [workflow, taskId = '0', group] = after.split('.');
  const [workflowId, number] = [Number(workflow), Number(group ?? 0)];
  const workflows = known.filter(({ id }) => id >= workflowId).sort((one, other) => one.id - other.id);
  const rows: WaitingApproval[] = [];
  let looked = 0;
  for (const workflow of workflows) {
    // The first chunk includes the task of the cursor, because more groups of that task may follow.
    let from = workflow.id === workflowId ? String(BigInt(taskId) - 1n) : '0';
    for (let hasMore = true; hasMore;) {
      const { ids, found } = await work.read(new Scope(workflow), (db, scope) =>
        openInChunk(db, scope, user, from),
      );
      const isShown = ({ id }: WaitingApproval): boolean =>
        !id.startsWith(`${workflowId}.${taskId}.`) || Number(id.split('.')[2]) > number;
      rows.push(...found.filter(isShown));
      if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.id };
      looked += ids.length;
      hasMore = ids.length === CHUNK;
      from = ids.at(-1) ?? from;
      if (hasMore && looked >= MAX_LOOKED_AT) return { rows, next: `${workflow.id}.${from}.${AFTER_ALL}` };
    }
  }
  return { rows, next: undefined };
}

/** Greater than any group number. */
const AFTER_ALL = 1_000_000;

interface Candidate {
  readonly plans: readonly ApprovalPlan[];
  /**
   * The stages in which a group's action is available, and the field that must name one of `ids`. `field` is
   * null if the roles or users of the group name one of `ids`.
   */
  readonly offers: readonly { readonly stages: readonly number[]; readonly field: string | null }[];
  /** The ids of the user, and of each absent user whose deputy the user is today. */
  readonly ids: readonly string[];
}

function candidateIn(workflow: Workflow, user: User, now: Date): Candidate {
  const { users, stages } = workflow.schema;
  const today = todayIn(workflow.timezone, now);
  const ids = users.ranked.filter((id) => id === user.id || deputyOf(id, users, today)?.id === user.id);
  const plans = approvedActions(workflow);
  const offers = plans.flatMap(({ action, groups }) => {
    const offered = stages.all.filter(({ name }) => isAvailable(action, name)).map(({ id }) => id);
    return groups
      .flatMap((group) => [
        ...(namedInDefinition(group, workflow).some((id) => ids.includes(id)) ? [null] : []),
        ...(group.fieldId === undefined ? [] : [group.fieldId]),
      ])
      .map((field) => ({ stages: offered, field }));
  });
  return { plans, offers, ids };
}

/** Finds the groups in which the user may decide, on the next tasks after the id `from`. */
async function openInChunk(
  db: EntityManager,
  scope: Scope,
  user: User,
  from: string,
): Promise<{ readonly ids: readonly string[]; readonly found: WaitingApproval[] }> {
  const { workflow } = scope;
  const { workspaceId, id: workflowId, schema } = workflow;
  const { plans, offers, ids: userIds } = candidateIn(workflow, user, serviceTime(db));
  if (offers.length === 0) return { ids: [], found: [] };
  const stages = [...new Set(offers.flatMap((offer) => offer.stages))];
  const values = [workspaceId, workflowId, from, stages, JSON.stringify(offers), userIds, CHUNK];
  const ids = (await sql<{ id: string }>(db, readCandidates, values)).map(({ id }) => id);
  const fields = fieldsRead(plans).concat(titleProperty(schema.properties)?.fieldId ?? []);
  const tasks = await findTasksOfIds(db, { workspaceId, workflowId }, ids, fields);
  const loaded = await loadApprovals(db, workflow, ids, plans);
  const found: WaitingApproval[] = [];
  for (const task of tasks) {
    const stage = schema.stages.get(task.stageId).name;
    const offered = plans.filter(({ action }) => isAvailable(action, stage));
    const judged = await judgeLoaded(db, scope, task, offered, loaded.get(task.id));
    const open = judged.flatMap((approvals) => openIn(approvals, user));
    found.push(...open.map((each, at) => ({ ...each, id: `${workflowId}.${task.id}.${at + 1}` })));
  }
  return { ids, found };
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

/** Returns the groups in which this user may decide. Nobody is asked to decide in a rejected group. */
function openIn(approvals: ReadApprovals, user: User): Omit<WaitingApproval, 'id'>[] {
  const groups = approvals.groups.filter(
    ({ need, isComplete, isRejected, open }) =>
      need === 'needed' && !isComplete && !isRejected && open.includes(user.id),
  );
  return groups.map((group) => {
    const ended = group.decisions.filter(({ state }) => state === 'stale');
    const times = [
      approvals.loaded.stageAt.toISOString(),
      ...ended.flatMap(({ markedAt }) => markedAt ?? []),
    ];
    return { approvals, group, since: times.toSorted().at(-1) ?? '' };
  });
}
