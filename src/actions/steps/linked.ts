import Type, { type Static, type TObject } from 'typebox';
import { type Link } from '../../workflows/fields/task-schema.js';
import { relationshipsOf, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { checkSet } from '../check/set.js';
import { type RelationshipDefinition } from '../../workflows/model/relationship-definition.js';
import { type StepDefinition } from '../../workflows/model/action-definition.js';
import { refers, acrossId } from '../../workflows/model/marks.js';
import { type SetDefinition } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { StepFailed } from '../step.js';
import { say } from '../../common/message.js';

// The steps create-linked-task and update-linked-tasks share this file.

/** The relationship that a step follows, and its side if both ends are the same workflow. */
export const reach = {
  relationship: Type.String({
    ...refers('relationship'),
    title: 'Relationship',
    description: 'The id of a relationship of this workflow.',
  }),
  side: Type.Optional(
    Type.Enum(['from', 'to'], {
      title: 'Side',
      description:
        'The end of the relationship at which the task of the action is. Required if both ends are one workflow, otherwise not allowed.',
    }),
  ),
};

export const linkedValues = {
  ...refers('field', { keys: true, isCheckedThere: true, at: acrossId('relationship') }),
  title: 'Values',
  description:
    'Values of the linked task by field name; `Stage` and `Assigned To` can be set, too. Templates and expressions read the task of the action.',
};

export const eachLinkedValues = {
  ...linkedValues,
  description: `${linkedValues.description} An expression can also read linked["Field"], a field of the linked task.`,
};

type LinkedStep = StepDefinition<Static<TObject<typeof reach>> & { set: SetDefinition }>;

/**
 * Reports errors in a step that writes linked tasks. With `hasLinked`, expressions may read the linked task.
 */
export function checkLinked(step: LinkedStep, scope: WorkflowScope, report: Report, hasLinked = false): void {
  const relationship = relationshipsOf(scope).find(({ id }) => id === step.relationship);
  if (!relationship) return;
  checkSide(step, relationship, report);
  const target = farScope(step, scope);
  if (!target) return;
  const other = hasLinked ? ({ name: 'linked', workflow: target } as const) : undefined;
  checkSet(step.set, { own: scope, target, exists: hasLinked, other }, report);
}

function checkSide(step: LinkedStep, { from, to }: RelationshipDefinition, report: Report): void {
  const isNeeded = from.workflow === to.workflow;
  if (isNeeded && !step.side) report(step, 'side', 'is required because both ends are this workflow');
  if (!isNeeded && step.side) report(step, 'side', 'is only for relationships of a workflow with itself');
}

/** Returns the workflow at the other end of a relationship; undefined if there is no such workflow. */
export function farScope(
  { relationship }: Pick<LinkedStep, 'relationship'>,
  { workspace, workflow }: WorkflowScope,
): WorkflowScope | undefined {
  const { from, to } = workspace.relationships.get(relationship) ?? {};
  return workspace.workflows.get((from?.workflow === workflow.id ? to : from)?.workflow ?? '');
}

/** Returns the link that a step follows from its task; throws `StepFailed` for an unknown relationship. */
export function linkOfStep(workflow: Workflow, step: Pick<LinkedStep, 'relationship' | 'side'>): Link {
  const link = findLinkOfStep(workflow, step);
  if (!link) throw new StepFailed(say`there is no relationship ${step.relationship}`);
  return link;
}

/** Returns the link of a step, for `touches`; empty if the relationship is removed: `run` reports that. */
export function touchedLinks(step: LinkedStep, workflow: Workflow): Link[] {
  const link = findLinkOfStep(workflow, step);
  return link ? [link] : [];
}

function findLinkOfStep(
  { schema }: Workflow,
  { relationship, side }: Pick<LinkedStep, 'relationship' | 'side'>,
): Link | undefined {
  const signs = side === undefined ? ['>', '<'] : [side === 'from' ? '>' : '<'];
  return signs.map((sign) => schema.links.get(sign + relationship)).find((link) => link !== undefined);
}
