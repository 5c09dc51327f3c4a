import { Injectable } from '@nestjs/common';
import {
  type ApprovalPlan,
  approvalsOf,
  approvedActions,
  coveredSides,
} from '../actions/requirements/approvals/approval-group.js';
import { type JudgedGroup } from '../actions/requirements/approvals/judge-approvals.js';
import { statesOfTask } from '../actions/requirements/approvals/approvals.repository.js';
import { idempotentRequest, once } from '../common/http/idempotency.js';
import { suggested } from '../common/did-you-mean.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { hinted, say } from '../common/message.js';
import { referenceTo } from '../tasks/links/find-links.js';
import { withLinksLocked } from '../tasks/links/lock-links.js';
import { type User } from '../workflows/fields/field-type.js';
import { taskNamed } from '../tasks/store/task.repository.js';
import { noTask } from '../workflows/model/not-found.js';
import { isSignedIn, type Scope, userOf } from '../workflows/model/scope.js';
import { type TaskName, textOfName } from '../workflows/model/task-name.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { requireUniqueId, type Workflow } from '../workflows/model/workspace.js';
import { notYou } from '../access/users.service.js';
import { type PageApproval, type ShownApproval, type WantedDecision } from './approval.dto.js';
import { decideLocked, type LockedApprovals } from './decide.js';
import { openApprovals, type WaitingApproval } from './open-approvals.js';
import { type ReadApprovals, readApprovals } from '../actions/requirements/approvals/read-approvals.js';
import { type PastDecision, pastDecisions, pageApproval, showApproval } from './show-approval.js';
import { findTaskKey } from '../tasks/store/task-keys.js';
import { type IdPage } from '../common/id-page.js';

@Injectable()
export class ApprovalsService {
  constructor(private readonly work: UnitOfWork) {}

  async list(scope: Scope, name: TaskName): Promise<ShownApproval[]> {
    return this.read(scope, name, (_, ...shown) => showApproval(...shown));
  }

  async of(scope: Scope, name: TaskName): Promise<PageApproval[]> {
    return this.read(scope, name, pageApproval);
  }

  async past(scope: Scope, name: TaskName): Promise<PastDecision[]> {
    if (approvedActions(scope.workflow).length === 0) return [];
    return this.work.read(scope, async (db, current) => {
      const task = await findTaskKey(db, current, name);
      return pastDecisions(db, current.workflow, task.taskId);
    });
  }

  /** Stores or withdraws a decision. `key` is an idempotency key, so a repeated request changes nothing. */
  async decide(scope: Scope, name: TaskName, wanted: WantedDecision, key?: string): Promise<ShownApproval> {
    const body = new Map(Object.entries(wanted).map(([field, value]) => [field, value ?? null]));
    const request = idempotentRequest(scope, key, { route: 'approvals', path: [textOfName(name)], body });
    return this.locked(scope, name, wanted, (locked) =>
      once(locked.tx, request, () => decideLocked({ ...locked, wanted, user: deciderOf(locked, wanted) })),
    );
  }

  /** Lists the groups in which a user may decide, in pages, sorted by workflow and task. */
  openFor(
    workflows: readonly Workflow[],
    user: User,
    after: string,
    limit: number,
  ): Promise<IdPage<WaitingApproval>> {
    return openApprovals(this.work, workflows, user, after, limit);
  }

  private read<Shown>(
    scope: Scope,
    name: TaskName,
    show: (scope: Scope, approvals: ReadApprovals, group: JudgedGroup, seen: string) => Shown,
  ): Promise<Shown[]> {
    return this.work.read(scope, async (db, current) => {
      const task = await taskNamed(db, current, name);
      const plans = approvedActions(current.workflow);
      if (plans.length === 0) return [];
      const approvals = await readApprovals(db, current, task, plans);
      const all = approvals.flatMap((of) => of.groups.map((group) => ({ of, group })));
      const covers = all.map(({ group }) => group.covers);
      const states = await statesOfTask(db, current.workflow, task.id, covers);
      return all.map(({ of, group }, at) => show(current, of, group, states[at] ?? ''));
    });
  }

  /** Locks the task and the linked tasks that the approvals of the action cover; then runs `work`. */
  private locked<T>(
    scope: Scope,
    name: TaskName,
    { actionId, groupId }: WantedDecision,
    work: (locked: LockedApprovals) => Promise<T>,
  ): Promise<T> {
    return this.work.begin(scope, async (unit) => {
      const { workflow } = unit.scope;
      requireUniqueId(workflow, name);
      const plan = planNamed(workflow, actionId, groupId);
      const sides = new Set(coveredSides(plan.groups));
      const visited = [...workflow.schema.links.values()].filter(({ side }) => sides.has(side));
      return unit.write(async (db) => {
        const reference = await referenceTo(db, unit.scope, name);
        const changes = visited.map((link) => ({ link, as: 'visited' as const, references: [] }));
        return withLinksLocked(db, unit.scope, reference, changes, (tx, { task }) => {
          if (!task) throw noTask(workflow, name);
          return work({ tx, scope: unit.scope, task, plan });
        });
      });
    });
  }
}

/** Returns the approvals of an action. Throws 422 for unknown ids, and for actions that need no approvals. */
function planNamed(workflow: Workflow, actionId: string, groupId: string): ApprovalPlan {
  const plan = approvalsOf(workflow, actionId);
  if (!plan && workflow.actions.some(({ id }) => id === actionId))
    throw invalidField('action_id', 'needs no approvals');
  const actions = approvedActions(workflow).map(({ action }) => action.id);
  if (!plan)
    throw invalidField(
      'action_id',
      hinted('is not an action of this workflow', suggested(actionId, actions)),
    );
  const groups = plan.groups.map(({ id }) => id);
  if (!groups.includes(groupId))
    throw invalidField('id', say`is not a group of ${actionId}${suggested(groupId, groups)}`);
  return plan;
}

/** Returns the user who decides: `performed_by`, or else the viewer. Throws all errors at once. */
function deciderOf({ scope, plan }: LockedApprovals, wanted: WantedDecision): User {
  const errors = new FieldErrors();
  const viewer = userOf(scope);
  const { performedBy: email, decision, comment, groupId } = wanted;
  const group = plan.groups.find(({ id }) => id === groupId);
  const named = email == null ? viewer : scope.workflow.schema.users.find(email);
  if (decision === 'reject' && comment == null) errors.add('comment', 'is required');
  if (group?.isByPeople === true && !isSignedIn(scope))
    errors.add('base', 'is decided by people who are signed in, not by keys');
  else if (email == null && !viewer) errors.add('performed_by', 'is required');
  else if (!named?.active) errors.add('performed_by', 'is not a user of this workspace');
  else if (viewer && named.id !== viewer.id) errors.add('performed_by', notYou);
  errors.throwIfAny();
  if (!named) throw new Error('nobody decides');
  return named;
}
