import { type EntityManager } from 'typeorm';
import { sql } from '../../../common/database/sql.js';
import { ApprovalEntity } from './approval.entity.js';
import { type Workflow } from '../../../workflows/model/workspace.js';
import { type ApprovalPlan, coveredSides } from './approval-group.js';
import { type TaskKey } from '../../../tasks/store/task-keys.js';

/** A decision that was made since the action last succeeded. */
export interface Decision extends Readonly<
  Pick<
    ApprovalEntity,
    | 'id'
    | 'actionId'
    | 'groupId'
    | 'byId'
    | 'forId'
    | 'decision'
    | 'comment'
    | 'via'
    | 'covers'
    | 'state'
    | 'because'
  >
> {
  /** ISO 8601. */
  readonly decidedAt: string;
  readonly markedAt: string | null;
}

/** A change of a part of a task; `at` is its time in microseconds. */
interface PartEdit {
  readonly userId: string;
  readonly part: string;
  readonly at: number;
}

export interface LoadedApprovals {
  /** The id of the task. */
  readonly id: string;
  /** Oldest first. */
  readonly decisions: readonly Decision[];
  /** The part `+` is the creation of the task. */
  readonly edits: readonly PartEdit[];
  /** When each action last succeeded, in microseconds. */
  readonly rounds: readonly { readonly actionId: string; readonly at: number }[];
  readonly now: Date;
  readonly stageAt: Date;
  /** The version with which the task entered its stage. This number identifies the visit to the stage. */
  readonly visit: number;
}

export async function loadApprovals(
  db: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  taskIds: readonly string[],
  plans: readonly ApprovalPlan[],
): Promise<ReadonlyMap<string, LoadedApprovals>> {
  const actionIds = plans.map(({ action }) => action.id);
  const groups = plans.flatMap((plan) => plan.groups);
  const sides = coveredSides(groups.filter(({ not }) => not.has('editors')));
  const rows = await sql<LoadedApprovals>(db, load, [workspaceId, id, taskIds, actionIds, sides]);
  return new Map(rows.map((row) => [row.id, row]));
}

const isoOf = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const microsOf = (column: string): string => `(extract(epoch FROM ${column}) * 1000000)::bigint`;

const listOf = (each: string, order = ''): string => `COALESCE(json_agg(${each} ${order}), '[]')`;

const decisionOf = `json_build_object('id', a.id::text, 'actionId', a.action_id, 'groupId', a.group_id, 'byId', a.by_id,
  'forId', a.for_id, 'decision', a.decision, 'comment', a.comment, 'via', a.via, 'covers', a.covers,
  'state', a.state, 'because', a.because, 'decidedAt', ${isoOf('a.decided_at')}, 'markedAt', ${isoOf('a.marked_at')})`;

const load = {
  name: 'load-approvals',
  text: `
    SELECT t.id::text AS id, n.now, COALESCE(t.stage_at, t.created_at) AS "stageAt",
      (t.version_offset + COALESCE(t.stage_version, 1))::float8 AS visit,
      (
        SELECT ${listOf(decisionOf, 'ORDER BY a.id')} FROM approvals a
        WHERE a.workspace_id = $1 AND a.workflow_id = $2 AND a.task_id = t.id AND a.action_id = ANY($4::text[])
          AND NOT a.is_past AND a.state IN ('live', 'stale', 'withdrawn')
      ) AS decisions,
      (
        SELECT ${listOf(`json_build_object('userId', e.user_id, 'part', e.part, 'at', ${microsOf('e.edited_at')})`)} FROM (
          SELECT e.user_id, e.part, e.edited_at FROM editors_of($1, $2, t.id) e
          UNION ALL
          SELECT e.user_id, l.side || '/' || e.part, e.edited_at
          FROM (
            SELECT '>' || relationship_id AS side, to_workflow_id AS workflow_id, to_id AS id
            FROM links WHERE workspace_id = $1 AND from_id = t.id AND cardinality($5::text[]) > 0
            UNION ALL
            SELECT '<' || relationship_id, from_workflow_id, from_id
            FROM links WHERE workspace_id = $1 AND to_id = t.id AND cardinality($5::text[]) > 0
          ) l CROSS JOIN LATERAL editors_of($1, l.workflow_id, l.id) e
          WHERE l.side = ANY($5) AND e.part <> '+'
        ) e
      ) AS edits,
      (
        SELECT ${listOf(`json_build_object('actionId', r.action_id, 'at', ${microsOf('r.succeeded_at')})`)} FROM approval_rounds r
        WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND r.task_id = t.id AND r.action_id = ANY($4)
      ) AS rounds
    FROM (SELECT service_now() AS now) n CROSS JOIN tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = ANY($3::bigint[])`,
};

export async function lockDecisions(
  tx: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  taskIds: readonly string[],
  plans: readonly ApprovalPlan[],
): Promise<void> {
  await sql(tx, lock, [workspaceId, id, taskIds, plans.map(({ action }) => action.id)]);
}

const lock = {
  name: 'lock-decisions',
  text: `
    SELECT FROM approvals a
    WHERE a.workspace_id = $1 AND a.workflow_id = $2 AND a.task_id = ANY($3::bigint[])
      AND a.action_id = ANY($4::text[]) AND NOT a.is_past
    ORDER BY a.id FOR NO KEY UPDATE`,
};

/**
 * Returns a hash for each list of covered parts. The hash changes if one of the parts or the stage changes.
 */
export async function statesOfTask(
  db: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  taskId: string,
  covers: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const lists = JSON.stringify(covers);
  const rows = await sql<{ state: string }>(db, readStates, [workspaceId, id, taskId, lists]);
  return rows.map(({ state }) => state);
}

const readStates = {
  name: 'read-approval-states',
  text: `
    SELECT approval_state($1, $2::integer, $3::bigint, ARRAY(SELECT jsonb_array_elements_text(c.parts))) AS state
    FROM jsonb_array_elements($4::jsonb) WITH ORDINALITY c (parts, place) ORDER BY c.place`,
};

export interface DecisionPlace extends TaskKey {
  readonly actionId: string;
}

export type NewDecision = Readonly<
  Pick<ApprovalEntity, 'groupId' | 'byId' | 'forId' | 'decision' | 'comment' | 'via' | 'covers'>
>;

/** Stores a decision. It replaces earlier ones in the same group by the same user or for the same person. */
export async function addDecision(
  tx: EntityManager,
  place: DecisionPlace,
  decision: NewDecision,
): Promise<string> {
  const of = [place.workspaceId, place.workflowId, place.taskId, place.actionId];
  await sql(tx, replace, [...of, decision.groupId, decision.byId, decision.forId ?? decision.byId]);
  const { identifiers } = await tx.insert(ApprovalEntity, { ...place, ...decision });
  return String(identifiers[0]?.['id']);
}

const ofAction =
  'a.workspace_id = $1 AND a.workflow_id = $2 AND a.task_id = $3 AND a.action_id = $4 AND NOT a.is_past';

const replace = {
  name: 'replace-decision',
  text: `
    UPDATE approvals a SET state = 'replaced'
    WHERE ${ofAction} AND a.group_id = $5
      AND (a.by_id = $6 OR COALESCE(a.for_id, a.by_id) = $7) AND a.state IN ('live', 'stale', 'withdrawn')`,
};

export async function withdrawDecision(tx: EntityManager, workspaceId: number, id: string): Promise<void> {
  const withdrawn = { state: 'withdrawn', markedAt: () => 'service_now()' } as const;
  await tx.update(ApprovalEntity, { workspaceId, id }, withdrawn);
}

/** Adds `told` to the `tells` of a decision. Returns all earlier `tells` of decisions on the action. */
export async function noteTold(
  tx: EntityManager,
  place: DecisionPlace,
  id: string,
  told: readonly string[],
): Promise<ReadonlySet<string>> {
  const values = [place.workspaceId, place.workflowId, place.taskId, place.actionId, id, told];
  const rows = await sql<{ told: string }>(tx, note, values);
  return new Set(rows.map((row) => row.told));
}

const note = {
  name: 'note-told',
  text: `
    WITH noted AS (UPDATE approvals SET tells = tells || $6::text[] WHERE workspace_id = $1 AND id = $5)
    SELECT DISTINCT unnest(a.tells) AS told FROM approvals a WHERE ${ofAction}`,
};
