import Type from 'typebox';
import { setOf } from '../../workspace/vocabulary.js';
import { StepFailed, stepType } from '../step.js';
import { checkLinked, linkedValues, linkOfStep, reach, renameLinked, touchedLinks } from './linked.js';
import { readHeld } from '../../links/find-links.js';
import { loadTasks, updateThisTask } from '../../task-store/task.repository.js';
import { noPrecondition, hasValues } from '../../task-store/task-row.js';
import { validateUpdate } from '../../schema/validate-task.js';
import { parseTask } from '../../schema/parse-task.js';
import { valuesOf } from '../step-values.js';

export const updateLinkedTasks = stepType(
  Type.Object(
    { ...reach, set: setOf(linkedValues) },
    {
      title: 'Set fields of every linked task',
      description: 'Sets values of every task that is linked.',
      examples: [{ relationship: 'orders', set: { Stage: 'Done' } }],
    },
  ),
  {
    check: checkLinked,
    rename: renameLinked,
    touches: touchedLinks,
    async run(step, run) {
      const { workflow, task } = run.context;
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
          validateUpdate(other.schema, parsed, row).throwIfAny();
          await updateThisTask(run.tx, other, row.id, parsed.change, noPrecondition);
        }
        const done = new Set(loaded.map(({ id }) => id));
        ids = ids.filter((id) => !done.has(id));
        if (done.size === 0) break;
      }
    },
  },
);
