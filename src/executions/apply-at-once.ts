import { type EntityManager } from 'typeorm';
import { type StepDefinition } from '../definitions/step-definition.js';
import { noPrecondition } from '../records/precondition.js';
import { updateTogether } from '../records/write-statements.js';
import { updateTaskTogether } from '../records/write-task.js';
import { type Workflow } from '../workflows/workspace.js';
import { actionsOf } from './actions.js';
import { judgeClaimed } from './judge-claimed.js';
import { type Claimed, type Ended, isOpen, next, type StepAnswer } from './ledger.js';
import { type Run } from './run.js';
import { walk } from './walk.js';

/**
 * Judges and does all steps on the task as it was claimed, and writes it and `Success` in one statement if it still is
 * so then: as good as a lock, in a fifth of the round trips. Undefined, and nothing is written, where the task was changed
 * meanwhile, where somebody holds it or is changing the definition, or where more than the task decides or is altered.
 */
export async function applyAtOnce(
  db: EntityManager,
  workflow: Workflow,
  claimed: Claimed,
  answers: ReadonlyMap<string, StepAnswer>,
  begin: (tx: undefined) => Omit<Run, 'situation' | 'call'>,
): Promise<Ended | undefined> {
  const action = actionsOf(workflow).find(({ id }) => id === claimed.actionId);
  if (action?.asksForChecklist || !claimed.steps.every(({ type }) => ofTheTaskAlone.has(type)))
    return undefined;
  if (!claimed.task) return undefined;
  const task = { ...claimed.task, id: claimed.taskId };
  const situation = { ...(await judgeClaimed(db, workflow, claimed, task)), task };
  const run: Run = { ...begin(undefined), situation, call: () => Promise.reject(new Error('no step')) };
  const outcomes = await walk(claimed.steps, run, rehearsed(answers));
  const precondition = { ...noPrecondition, versions: [task.version] };
  const values = [claimed.id, claimed.fence, JSON.stringify(outcomes)];
  return updateTaskTogether(db, workflow, task.id, run.change, precondition, {
    statement: finishAndUpdate,
    values,
  });
}

/** The answers to calls that were made while the steps were rehearsed. */
export function rehearsed(answers: ReadonlyMap<string, StepAnswer>) {
  return (index: number): Promise<StepAnswer> => {
    const answer = answers.get(String(index));
    return answer ? Promise.resolve(answer) : Promise.reject(new Error('a call was not rehearsed'));
  };
}

const ofTheTaskAlone = new Set<StepDefinition['type']>([
  'move_to_stage',
  'assign',
  'update_fields',
  'api_call',
]);

const finishAndUpdate = updateTogether(
  'finish-and-update',
  `UPDATE executions SET status = 'Success', outcomes = $16::jsonb, finished_at = clock_timestamp(), lease_until = NULL
   WHERE workspace_id = $1 AND id = $14 AND fence = $15 AND ${isOpen} AND EXISTS (SELECT FROM meant)
   RETURNING ${next}`,
);
