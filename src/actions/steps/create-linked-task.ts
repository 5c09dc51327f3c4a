import Type from 'typebox';
import { checkRequired } from '../check/set.js';
import { type SetDefinition, setOf } from '../../workflows/model/schema-parts.js';
import { type Run, StepFailed, stepType } from '../step.js';
import { type Link } from '../../workflows/fields/task-schema.js';
import { checkLinked, farScope, linkedValues, linkOfStep, reach, touchedLinks } from './linked.js';
import { replaceLinks } from '../../tasks/links/replace-links.js';
import { readHeld } from '../../tasks/links/find-links.js';
import { noPrecondition } from '../../tasks/store/task-row.js';
import { isTaken } from '../../tasks/store/task-keys.js';
import { insertTask } from '../../tasks/store/upsert-task.js';
import { validateCreation } from '../../workflows/fields/validate-task.js';
import { pauses } from '../../../packages/fair/turn.js';
import { type ParsedTask, parseTask } from '../../workflows/fields/parse-task.js';
import { valuesOf } from '../step-values.js';
import { Scope } from '../../workflows/model/scope.js';
import { say } from '../../common/message.js';

export const createLinkedTask = stepType(
  Type.Object(
    { ...reach, set: setOf({ ...linkedValues, default: {} }) },
    {
      title: 'Create a linked task',
      description: 'Fails if a task with the Unique ID exists already.',
      examples: [{ relationship: 'orders', set: { 'Order ID': '{{Number}}-1' } }],
    },
  ),
  {
    check: (step, scope, report) => {
      checkLinked(step, scope, report);
      const far = farScope(step, scope);
      if (far) checkRequired(step, 'set', step.set, far, report);
    },
    touches: touchedLinks,
    async run(step, run) {
      const { scope, task } = run.context;
      const { link, other, parsed } = await created(step, run);
      validateCreation(other.workflow.schema, parsed).throwIfAny();
      const { uniqueValue: id } = parsed.change;
      const exists = (): StepFailed => new StepFailed(say`${other.workflow.name} ${id ?? ''} exists already`);
      if (!run.tx && id != null && (await isTaken(run.reads, other.workflow, id))) throw exists();
      if (!run.tx) return;
      const made = await insertTask(run.tx, other, parsed.change, noPrecondition);
      if (!made?.isCreated) throw exists();
      const held = link.isMultiple ? [] : await readHeld(run.tx, scope, task.id, link);
      const partner = { workflowId: other.workflow.id, id: made.task.id, isNew: true };
      await replaceLinks(run.tx, scope.workflow, task.id, [
        { link, begins: true, other: partner },
        ...held.map((other) => ({ link, begins: false, other })),
      ]);
      run.hasChangedLinks = true;
    },
  },
);

async function created(
  step: { readonly relationship: string; readonly side?: 'from' | 'to'; readonly set: SetDefinition },
  run: Run,
): Promise<{ readonly link: Link; readonly other: Scope; readonly parsed: ParsedTask }> {
  const link = linkOfStep(run.context.scope.workflow, step);
  const other = new Scope(run.workflowOf(link.otherWorkflowId));
  const values = valuesOf(step.set, run);
  return { link, other, parsed: await parseTask(other.workflow.schema, values, pauses(other), 'action') };
}
