import { readHeld } from '../../links/read-held.js';
import { loadTasks } from '../../records/load-tasks.js';
import { noPrecondition } from '../../records/precondition.js';
import { hasValues } from '../../records/task-row.js';
import { updateThisTask } from '../../records/write-task.js';
import { judgeUpdate } from '../../schema/judge-task.js';
import { parseTask } from '../../schema/parse-task.js';
import { linkOfStep } from '../linked-by-step.js';
import { type StepType } from '../step-type.js';
import { StepFailed } from '../step-failed.js';
import { valuesOf } from '../values-of.js';

export const updateLinkedTasks: StepType<'update_linked_tasks'> = async (step, run) => {
  const { workflow, task } = run.situation;
  const link = linkOfStep(workflow, step);
  const other = run.workflowOf(link.otherWorkflowId);
  const parsed = parseTask(other.schema, valuesOf(step.set, run));
  if (parsed.change.uniqueValue !== undefined)
    throw new StepFailed(`${other.schema.uniqueId?.name ?? ''} cannot be changed by a step`);
  if (!run.tx) return;
  let ids = (await readHeld(run.tx, workflow, task.id, link)).map(({ id }) => id);
  while (ids.length > 0) {
    // The values of later ones may be left out where they are many.
    const rows = await loadTasks(run.tx, other, ids.slice(0, 500), {
      showsInstants: false,
      showsLinks: false,
    });
    const loaded = rows.filter(hasValues);
    for (const row of loaded) {
      judgeUpdate(other.schema, parsed, row).throwIfAny();
      await updateThisTask(run.tx, other, row.id, parsed.change, noPrecondition);
    }
    const done = new Set(loaded.map(({ id }) => id));
    ids = ids.filter((id) => !done.has(id));
    if (done.size === 0) break;
  }
};
