import { type EntityManager } from 'typeorm';
import { serviceTime } from '../common/database/shared-data-source.js';
import { TimeAllowed } from '../workflows/expressions/time-allowed.js';
import { type Expression } from '../workflows/expressions/expression.js';
import { todayIn } from '../common/calendar.js';
import { overdueDeadlines } from '../tasks/store/deadlines.sql.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Action } from './action.js';
import { type ActionContext } from './action-context.js';
import { readLinkedSides } from './linked-reads.js';
import { type PlacedTask, type RequirementType } from './requirement.js';
import { type Scope } from '../workflows/model/scope.js';

interface Question {
  readonly performer: User | undefined;
  readonly actions: readonly Action[];
  /** Expressions to evaluate in addition to those of the requirements. */
  readonly expressions?: readonly Expression[];
  /** The time of the check; now by default. */
  readonly now?: Date;
}

export async function readContext(
  db: EntityManager,
  scope: Scope,
  task: TaskRow,
  { performer, actions, expressions = [], now = serviceTime(db) }: Question,
): Promise<ActionContext> {
  const asked = [...actions.flatMap((action) => action.expressions), ...expressions];
  return {
    scope,
    task,
    linked: await readLinkedSides(db, scope, task, asked),
    performer,
    loaded: await loadRequirements(db, { scope, task }, actions),
    // Only expressions read `today`. Computing it takes as long as all other checks of a small action.
    today: asked.length === 0 ? '' : todayIn(scope.workflow.timezone, now),
    now,
    overdue: asked.some(({ deadlines }) => deadlines.size > 0)
      ? await overdueDeadlines(db, scope.workflow, task.id, now)
      : undefined,
    timeAllowed: new TimeAllowed(),
  };
}

async function loadRequirements(
  db: EntityManager,
  placed: PlacedTask,
  actions: readonly Action[],
): Promise<ReadonlyMap<RequirementType, unknown>> {
  const wanted = new Map<RequirementType, string[]>();
  for (const { id, requirements } of actions)
    for (const { type } of requirements) wanted.set(type, [...(wanted.get(type) ?? []), id]);
  const loaded = new Map<RequirementType, unknown>();
  for (const [type, actionIds] of wanted)
    loaded.set(type, (await type.load?.(db, [placed], actionIds))?.get(placed.task.id));
  return loaded;
}
