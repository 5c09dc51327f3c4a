import { type EntityManager } from 'typeorm';
import { serviceTime } from '../common/database/shared-data-source.js';
import { readsMoreThanTask } from '../workflows/expressions/expression.js';
import { TimeAllowed } from '../workflows/expressions/time-allowed.js';
import { todayIn } from '../common/calendar.js';
import { pauses } from '../../packages/fair/turn.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Action, actionsOf, isAvailable, mayPerform } from './action.js';
import { type PlacedTask, type RequirementType, type Unmet } from './requirement.js';
import { type CompiledRequirement } from './requirement-types.js';

/**
 * The first action that a user may perform in a task's stage. `unmet` contains only requirements that
 * `nextActions` checks.
 */
export interface LikelyAction {
  readonly name: string;
  readonly unmet: readonly Unmet[];
}

type PlacedAction = PlacedTask & { readonly action: Action };

/**
 * Maps task ids to the action that a user would likely perform next. Skips a requirement if one of its
 * expressions reads linked tasks or deadlines, because that needs a query per task. Even an action with no
 * unmet requirements may therefore be unavailable.
 */
export async function nextActions(
  db: EntityManager,
  placed: readonly PlacedTask[],
  performer: User,
): Promise<ReadonlyMap<string, LikelyAction>> {
  const found: PlacedAction[] = [];
  for (const { scope, task } of placed) {
    const { workflow } = scope;
    const stage = workflow.schema.stages.get(task.stageId).name;
    const isNext = (one: Action): boolean =>
      !one.isByRules && isAvailable(one, stage) && mayPerform(workflow, performer, one, task);
    const action = (await actionsOf(scope)).find(isNext);
    if (action) found.push({ scope, task, action });
  }
  const loaded = await loadTogether(db, found);
  const now = serviceTime(db);
  const blank = { performer, now, timeAllowed: new TimeAllowed(), linked: new Map(), loaded: new Map() };
  const next = new Map<string, LikelyAction>();
  for (const { scope, task, action } of found) {
    await pauses(scope)();
    const asked = new Set(action.asked.map(({ field }) => field));
    const context = { ...blank, scope, task, asked, today: todayIn(scope.workflow.timezone, now) };
    const judged = action.requirements.filter((one) => isJudged(scope, one) && !blank.timeAllowed.isUsedUp);
    const unmet = judged.flatMap(({ type, unmet }) => unmet(context, loaded.get(type)?.get(task.id)));
    next.set(task.id, { name: action.name, unmet });
  }
  return next;
}

function isJudged({ workflow }: Scope, { type, settings }: CompiledRequirement): boolean {
  return ![...(type.expressions?.(settings, workflow.schema) ?? [])].some(readsMoreThanTask);
}

async function loadTogether(
  db: EntityManager,
  found: readonly PlacedAction[],
): Promise<ReadonlyMap<RequirementType, ReadonlyMap<string, unknown>>> {
  const loaded = new Map<RequirementType, ReadonlyMap<string, unknown>>();
  const types = new Set(found.flatMap(({ action }) => action.requirements.map(({ type }) => type)));
  const actionIds = [...new Set(found.map(({ action }) => action.id))];
  for (const type of types) if (type.load) loaded.set(type, await type.load(db, found, actionIds));
  return loaded;
}
