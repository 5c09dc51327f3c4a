import Type from 'typebox';
import { setOf, type SetDefinition } from '../../workflows/model/schema-parts.js';
import { type Run, StepFailed, stepType } from '../step.js';
import { checkLinked, eachLinkedValues, linkOfStep, reach, touchedLinks } from './linked.js';
import { readHeld } from '../../tasks/links/find-links.js';
import { loadTasks } from '../../tasks/store/task.repository.js';
import { changeThisTask } from '../../tasks/store/upsert-task.js';
import { hasValues, type TaskRow } from '../../tasks/store/task-row.js';
import { validateUpdate } from '../../workflows/fields/validate-task.js';
import { pauses } from '../../../packages/fair/turn.js';
import { type ParsedTask, parseTask } from '../../workflows/fields/parse-task.js';
import { readsOf, valuesOf } from '../step-values.js';
import { Scope } from '../../workflows/model/scope.js';
import { ofField } from '../../common/message.js';

export const updateLinkedTasks = stepType(
  Type.Object(
    { ...reach, set: setOf(eachLinkedValues) },
    {
      title: 'Set fields of every linked task',
      description: 'Sets values of every linked task.',
      examples: [{ relationship: 'orders', set: { Stage: 'Done' } }],
    },
  ),
  {
    check: (step, scope, report) => {
      checkLinked(step, scope, report, true);
    },
    touches: touchedLinks,
    async run(step, run) {
      const { scope, task } = run.context;
      const link = linkOfStep(scope.workflow, step);
      const other = new Scope(run.workflowOf(link.otherWorkflowId));
      const isVaried = [...readsOf(step.set, scope.workflow.schema)].some(({ ofOther }) => ofOther.size > 0);
      const constant = isVaried ? undefined : await changeOf(step.set, other, run);
      if (!run.tx) return;
      let ids = (await readHeld(run.tx, scope, task.id, link)).map(({ id }) => id);
      while (ids.length > 0) {
        // If the tasks are too large, some rows come without values. The next iteration loads these again.
        const rows = await loadTasks(run.tx, other, ids.slice(0, 500), { showsLinks: false });
        const loaded = rows.filter(hasValues);
        for (const row of loaded) {
          const parsed = constant ?? (await changeOf(step.set, other, run, row));
          validateUpdate(other.workflow.schema, parsed, row).throwIfAny();
          await changeThisTask(run.tx, other.workflow, row.id, parsed.change);
        }
        const done = new Set(loaded.map(({ id }) => id));
        ids = ids.filter((id) => !done.has(id));
        if (done.size === 0) break;
      }
    },
  },
);

async function changeOf(
  set: SetDefinition,
  scope: Scope,
  { context }: Run,
  linked?: TaskRow,
): Promise<ParsedTask> {
  const { schema } = scope.workflow;
  const values = valuesOf(set, { context }, linked ? { linked: { schema, task: linked } } : {});
  const parsed = await parseTask(schema, values, pauses(scope), 'action');
  if (parsed.change.uniqueValue !== undefined)
    throw new StepFailed(ofField(schema.uniqueId?.name ?? '', 'cannot be changed by a step'));
  return parsed;
}
