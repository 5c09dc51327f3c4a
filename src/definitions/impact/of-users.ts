import { type EntityManager, In } from 'typeorm';
import { TaskEntity } from '../../task-store/task.entity.js';
import { TimerEntity } from '../../timers/timer.entity.js';
import { type WorkflowDefinition } from '../../workspace/definition.js';
import { type Draft } from '../draft.js';
import { type Effect, effectOf } from './effect.js';
import { agree, plural } from '../../lib/plural.js';

/** Says what users who will no longer be active leave behind: open tasks, and what acts as them or gives them tasks. */
export async function impactOfUsers(db: EntityManager, { rows, stored, merged }: Draft): Promise<Effect[]> {
  const effects: Effect[] = [];
  const active = new Set(stored?.users.filter((user) => user.active).map(({ email }) => email.toLowerCase()));
  const ids = new Map(rows.users.map(({ id, email }) => [email.toLowerCase(), id]));
  for (const { email, was, active: stays } of merged.users) {
    const former = (was ?? email).toLowerCase();
    const id = ids.get(former);
    if (stays || !active.has(former) || id === undefined) continue;
    const place = {
      workspaceId: rows.workspace.id,
      workflowId: In(rows.workflows.map((workflow) => workflow.id)),
    };
    const tasks = await db.countBy(TaskEntity, { ...place, assigneeId: id, isActive: true });
    const timers = await db.countBy(TimerEntity, { ...place, performerId: id });
    const isThem = (text: unknown): boolean =>
      typeof text === 'string' && text.toLowerCase() === email.toLowerCase();
    const found = (among: (workflow: WorkflowDefinition) => readonly { readonly id: string }[]): string[] =>
      merged.workflows.flatMap((workflow) => among(workflow).map((each) => `${workflow.id} / ${each.id}`));
    const rules = found(({ rules }) => rules.filter((rule) => isThem(rule.as)));
    const schedules = found((of) =>
      of.schedules.filter(({ create = {} }) => Object.values(create).some(isThem)),
    );
    const of = (count: number, noun: string, [one, many]: readonly [string, string], names = ''): Effect[] =>
      effectOf('notes', 'user', email, count, `${plural(count, noun)} ${agree(count, one, many)}${names}`);
    effects.push(
      ...of(tasks, 'open task', ['stays assigned to them', 'stay assigned to them']),
      ...of(
        rules.length,
        'rule',
        ['acts as them and fails', 'act as them and fail'],
        `: ${rules.join(', ')}`,
      ),
      ...of(schedules.length, 'schedule', ['gives them tasks and fails', 'give them tasks and fail'], `: ${schedules.join(', ')}`), // prettier-ignore
      ...of(timers, 'timer', ['acts as them and starts nothing', 'act as them and start nothing']),
    );
  }
  return effects;
}
