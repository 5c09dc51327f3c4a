import { replaceLinks } from '../../links/replace-links.js';
import { readHeld } from '../../links/read-held.js';
import { noPrecondition } from '../../records/precondition.js';
import { insertTask } from '../../records/write-task.js';
import { judgeCreation } from '../../schema/judge-task.js';
import { parseTask } from '../../schema/parse-task.js';
import { linkOfStep } from '../linked-by-step.js';
import { StepFailed } from '../step-failed.js';
import { type StepType } from '../step-type.js';
import { valuesOf } from '../values-of.js';

export const createLinkedTask: StepType<'create_linked_task'> = async (step, run) => {
  const { workflow, task } = run.situation;
  const link = linkOfStep(workflow, step);
  const other = run.workflowOf(link.otherWorkflowId);
  const parsed = parseTask(other.schema, valuesOf(step.set, run));
  judgeCreation(other.schema, parsed).throwIfAny();
  if (!run.tx) return;
  const created = await insertTask(run.tx, other, parsed.change, noPrecondition);
  if (!created?.isCreated)
    throw new StepFailed(`${other.schema.uniqueId?.name ?? ''} has already been taken`);
  const held = link.isMultiple ? [] : await readHeld(run.tx, workflow, task.id, link);
  const partner = { workflowId: other.id, id: created.task.id };
  await replaceLinks(run.tx, workflow, task.id, {
    added: [{ link, other: partner }],
    removed: held.map((other) => ({ link, other })),
    displaced: [],
  });
  run.isTouched = true;
};
