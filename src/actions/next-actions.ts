import { type EntityManager } from 'typeorm';
import { serviceTime } from '../database/shared-data-source.js';
import { Allowance } from '../expressions/allowance.js';
import { todayIn } from '../lib/calendar.js';
import { pauses } from '../../packages/fair/turn.js';
import { type TaskRow } from '../task-store/task-row.js';
import { type User } from '../schema/field-type.js';
import { type Scope } from '../workspace/scope.js';
import { type ActionContext } from './action-context.js';
import { type Action, actionsOf, isAvailable, mayPerform } from './action.js';
import { type RequirementType, type Unmet } from './requirement.js';
import { type CompiledRequirement } from './requirement-types.js';

/** The first action of a task's stage that somebody may perform, and what is known to stand in its way. */
export interface NextAction {
  readonly name: string;
  readonly unmet: readonly Unmet[];
}

/** A task, and the workflow that it is of. */
export interface PlacedRow {
  readonly scope: Scope;
  readonly task: TaskRow;
}

/**
 * What somebody would do next with each of these tasks, by its id. What would have to be read task by task is not
 * judged: approvals, and conditions on linked tasks or clocks. So these are named, and no promise is made.
 */
export async function nextActions(
  db: EntityManager,
  placed: readonly PlacedRow[],
  performer: User,
): Promise<ReadonlyMap<string, NextAction>> {
  const found: Found[] = [];
  for (const { scope, task } of placed) {
    const stage = scope.workflow.schema.stages.get(task.stageId).name;
    const action = (await actionsOf(scope)).find(
      (one) => !one.isByRules && isAvailable(one, stage) && mayPerform(scope.workflow, performer, one, task),
    );
    if (action) found.push({ scope, task, action });
  }
  const loaded = await loadTogether(db, found);
  const allowance = new Allowance();
  const now = serviceTime(db);
  const next = new Map<string, NextAction>();
  for (const { scope, task, action } of found) {
    await pauses(scope)();
    const context = {
      ...blankContext,
      scope,
      task,
      performer,
      now,
      allowance,
      today: todayIn(scope.workflow.timezone, now),
    };
    const asked = new Set(action.asked.map(({ field }) => field));
    const judged = action.requirements.filter((one) => isJudged(scope, one) && !allowance.isUsedUp);
    const unmet = judged.flatMap(({ type, unmet }) =>
      unmet({ ...context, asked }, loaded.get(type)?.get(task.id)),
    );
    next.set(task.id, { name: action.name, unmet });
  }
  return next;
}

type Found = PlacedRow & { readonly action: Action };

const blankContext: Pick<ActionContext, 'linked' | 'loaded'> = { linked: new Map(), loaded: new Map() };

/** Whether all that it looks at is at hand. */
function isJudged({ workflow }: Scope, { type, settings }: CompiledRequirement): boolean {
  const expressions = [...(type.expressions?.(settings, workflow.schema) ?? [])];
  const isLoaded = type.load === undefined || type.loadMany !== undefined;
  return isLoaded && expressions.every(({ linked, clocks }) => linked.size === 0 && clocks.size === 0);
}

/** What each kind of requirement needs beside the tasks, by their ids: one statement for a kind, whatever the workflows. */
async function loadTogether(
  db: EntityManager,
  found: readonly Found[],
): Promise<ReadonlyMap<RequirementType, ReadonlyMap<string, unknown>>> {
  const loaded = new Map<RequirementType, ReadonlyMap<string, unknown>>();
  for (const { action } of found)
    for (const { type } of action.requirements) {
      const wanting = found.filter((one) => one.action.requirements.some((other) => other.type === type));
      if (type.loadMany && !loaded.has(type)) loaded.set(type, await type.loadMany(db, wanting));
    }
  return loaded;
}
