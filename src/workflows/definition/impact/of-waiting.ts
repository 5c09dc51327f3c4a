import { type EntityManager } from 'typeorm';
import { isApproved } from '../../../actions/requirements/approvals/judge-approvals.js';
import { rejudgeWaiting } from '../../../approvals/newly-complete.js';
import { ActionEntity } from '../../model/entities/action.entity.js';
import { ApprovalEntity } from '../../../actions/requirements/approvals/approval.entity.js';
import { ExecutionEntity } from '../../../executions/execution.entity.js';
import { TimerEntity } from '../../../actions/timers/timer.entity.js';
import { compileWorkspace } from '../../model/compile-workspace.js';
import { type Draft } from '../draft.js';
import { type Effect, effectOf } from '../../model/effect.js';
import { agree, plural } from '../../../common/wording.js';
import { renamedSchema } from './of-clocks.js';

/** Counts the executions and timers that wait for actions that change or go, and says what becomes of them. */
export async function impactOfWaiting(
  db: EntityManager,
  { rows, merged, changes }: Draft,
): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const { workspaceId, workflowId, id } of rows.actions) {
    const slug = rows.workflows.find((workflow) => workflow.id === workflowId)?.slug ?? '';
    const workflow = merged.workflows.find((each) => each.id === slug);
    const stays = workflow?.actions.find((action) => (action.was ?? action.id) === id);
    const [name, former] = [`${slug} / ${stays?.id ?? id}`, `${slug} / ${id}`];
    const isChanged = changes.some(({ what, name: of }) => what === 'action' && [name, former].includes(of));
    if (!workflow || !isChanged) continue;
    const its = { workspaceId, workflowId, actionId: id };
    const executions = await db.countBy(ExecutionEntity, { ...its, status: 'Pending' });
    const timers = await db.countBy(TimerEntity, its);
    const live = { ...its, decision: 'approve', state: 'live', isPast: false } as const;
    const approvals = stays ? 0 : await db.countBy(ApprovalEntity, live);
    const [begun, set] = stays
      ? ['will take the former steps, if the new requirements are met', 'will start it as it is then']
      : ['will fail', `will start nothing: write was: ${id} in the action that takes its place`];
    const pending = `${plural(executions, 'execution')} that ${agree(executions, 'is', 'are')} Pending`;
    const lost = `${plural(approvals, 'approval')} will count for nothing`;
    effects.push(
      ...effectOf('notes', 'action', name, executions, `${pending} ${begun}`),
      ...effectOf(
        stays ? 'notes' : 'loses',
        'action',
        name,
        timers,
        `${plural(timers, 'timer')} of it ${set}`,
      ),
      ...effectOf('notes', 'action', name, approvals, lost),
    );
  }
  return effects;
}

/** Counts the tasks that wait for approvals of an action whose approvals change, and those that the change completes. */
export async function impactOfApprovals(
  db: EntityManager,
  { rows, stored, merged, matches }: Draft,
): Promise<Effect[]> {
  if (!stored) return [];
  const after = [...(await compileWorkspace(rows, '')).workflows.values()].flatMap((before) => {
    const definition = merged.workflows.find(({ id }) => id === before.slug);
    const actions = definition?.actions.map((action) => Object.assign(new ActionEntity(), action));
    return definition && actions
      ? [{ ...before, actions, schema: renamedSchema(before, definition, matches) }]
      : [];
  });
  const counts = new Map<string, [number, number]>();
  for await (const { workflow, action, judged } of rejudgeWaiting(db, after, stored, merged)) {
    const name = `${workflow.slug} / ${action.id}`;
    const [all, complete] = counts.get(name) ?? [0, 0];
    counts.set(name, [all + 1, complete + Number(isApproved(judged))]);
  }
  return [...counts].flatMap(([name, [all, complete]]) => {
    const text = `${plural(all, 'task')} ${agree(all, 'waits', 'wait')} for its approvals: ${complete} complete at once`;
    return effectOf('notes', 'action', name, all, text);
  });
}
