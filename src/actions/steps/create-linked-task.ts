import Type from 'typebox';
import { type Report, type WorkflowScope } from '../../workspace/check/kit.js';
import { checkRequired } from '../../workspace/check/set.js';
import { type SetDefinition, setOf } from '../../workspace/schema-parts.js';
import { StepFailed, stepType } from '../step.js';
import {
  checkLinked,
  farWorkflow,
  linkedChanges,
  linkedValues,
  linkOfStep,
  reach,
  renameLinked,
  touchedLinks,
} from './linked.js';
import { replaceLinks } from '../../links/replace-links.js';
import { readHeld } from '../../links/find-links.js';
import { noPrecondition } from '../../task-store/task-row.js';
import { insertTask } from '../../task-store/upsert-task.js';
import { validateCreation } from '../../schema/validate-task.js';
import { pauses } from '../../../packages/fair/turn.js';
import { parseTask } from '../../schema/parse-task.js';
import { expressionsIn, valuesOf } from '../step-values.js';
import { Scope } from '../../workspace/scope.js';
import { ofField } from '../../lib/message.js';

export const createLinkedTask = stepType(
  Type.Object(
    { ...reach, set: setOf({ ...linkedValues, default: {} }) },
    {
      title: 'Create a linked task',
      description: 'Fails when the Unique ID exists already.',
      examples: [{ relationship: 'orders', set: { 'Order ID': '{{Number}}-1' } }],
    },
  ),
  {
    check: (step, scope, report) => {
      checkLinked(step, scope, report);
      checkFarRequired(step, scope, report);
    },
    changes: (step, scope) => [
      ...linkedChanges(step, scope, 'created'),
      { is: 'linked', workflow: scope.workflow.id, key: step.relationship },
    ],
    rename: renameLinked,
    touches: touchedLinks,
    expressions: ({ set }, workflow) => expressionsIn(set, workflow),
    async run(step, run) {
      const { scope, task } = run.context;
      const link = linkOfStep(scope.workflow, step);
      const other = new Scope(run.workflowOf(link.otherWorkflowId));
      const parsed = await parseTask(other.workflow.schema, valuesOf(step.set, run), pauses(other), 'action');
      validateCreation(other.workflow.schema, parsed).throwIfAny();
      if (!run.tx) return;
      const created = await insertTask(run.tx, other, parsed.change, noPrecondition);
      if (!created?.isCreated)
        throw new StepFailed(ofField(other.workflow.schema.uniqueId?.name ?? '', 'has already been taken'));
      const held = link.isMultiple ? [] : await readHeld(run.tx, scope.workflow, task.id, link);
      const partner = { workflowId: other.workflow.id, id: created.task.id, isNew: true };
      await replaceLinks(run.tx, scope.workflow, task.id, {
        added: [{ link, other: partner }],
        removed: held.map((other) => ({ link, other })),
        displaced: [],
      });
      run.isTouched = true;
    },
  },
);

/** Reports the fields that every new task of the other workflow must have, and this one would not. */
function checkFarRequired(
  step: { readonly relationship: string; readonly set: SetDefinition },
  { workspace, workflow }: WorkflowScope,
  report: Report,
): void {
  const relationship = workspace.relationships.get(step.relationship);
  const target = relationship && workspace.workflows.get(farWorkflow(relationship, workflow.id));
  if (target) checkRequired(step, 'set', step.set, target, report);
}
