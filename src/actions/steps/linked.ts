import Type, { type Static, type TObject } from 'typebox';
import { didYouMean } from '../../lib/did-you-mean.js';
import { type Link } from '../../schema/task-schema.js';
import { initialStage, type Report, type WorkflowScope } from '../../workspace/check/kit.js';
import { checkLinkedSet } from '../../workspace/check/set.js';
import { type RelationshipDefinition, type StepDefinition } from '../../workspace/definition.js';
import { type SetDefinition } from '../../workspace/schema-parts.js';
import { type Workflow } from '../../workspace/workspace.js';
import { changesOf, type PossibleChange, StepFailed, type StepRenames } from '../step.js';
import { say } from '../../lib/message.js';

// What the two types of step that reach linked tasks have alike.

/** Which relationship a step reaches along, and from which of its ends. */
export const reach = {
  relationship: Type.String({
    title: 'Relationship',
    description: 'The id of a relationship of this workflow.',
  }),
  side: Type.Optional(
    Type.Enum(['from', 'to'], {
      title: 'Side',
      description:
        'The end of the relationship at which the task at hand stands; said where both ends are this workflow, and only there.',
    }),
  ),
};

export const linkedValues = {
  title: 'Values',
  description:
    'Values of the linked task by the names of its fields; `Stage` and `Assigned To` may be set too. Templates and expressions read the task at hand.',
};

export const eachLinkedValues = {
  ...linkedValues,
  description: `${linkedValues.description} An expression may also read linked["Field"], the linked task itself.`,
};

type LinkedStep = StepDefinition<Static<TObject<typeof reach>> & { set: SetDefinition }>;

/** `hasLinked`: whether the tasks that it sets values of are there already, so that expressions may read them. */
export function checkLinked(step: LinkedStep, scope: WorkflowScope, report: Report, hasLinked = false): void {
  const { workspace, workflow } = scope;
  const relationship = workspace.relationships.get(step.relationship);
  const isOfWorkflow =
    relationship?.from.workflow === workflow.id || relationship?.to.workflow === workflow.id;
  if (!relationship || !isOfWorkflow) {
    // An end at a workflow that there is not is told where it stands.
    if (relationship && !isJoined(relationship, scope)) return;
    const known = relationshipsOf(scope).map(({ id }) => id);
    const named = relationshipsOf(scope).find(({ from, to }) =>
      [from.name, to.name].includes(step.relationship),
    );
    const hint = named
      ? `; ${step.relationship} is a name of ${named.id}`
      : didYouMean(step.relationship, known);
    report(
      step,
      'relationship',
      `is not a relationship of workflow ${workflow.id}: ${step.relationship}${hint}`,
    );
    return;
  }
  checkSide(step, relationship, report);
  const target = workspace.workflows.get(farWorkflow(relationship, workflow.id));
  if (target) checkLinkedSet(step.set, scope, target, report, hasLinked);
}

function isJoined(
  { from, to }: RelationshipDefinition,
  { workspace: { workflows } }: WorkflowScope,
): boolean {
  return workflows.has(from.workflow) && workflows.has(to.workflow);
}

function relationshipsOf({ workspace, workflow: { id } }: WorkflowScope): RelationshipDefinition[] {
  return [...workspace.relationships.values()].filter(
    ({ from, to }) => from.workflow === id || to.workflow === id,
  );
}

function checkSide(step: LinkedStep, { from, to }: RelationshipDefinition, report: Report): void {
  const isNeeded = from.workflow === to.workflow;
  if (isNeeded && !step.side) report(step, 'side', 'is required, as both ends are this workflow');
  if (!isNeeded && step.side) report(step, 'side', 'is for relationships of a workflow with itself');
}

/** What a step changes of linked tasks; those that it creates begin in some stage. */
export function linkedChanges(
  { relationship, set }: LinkedStep,
  scope: WorkflowScope,
  is: 'set' | 'created' = 'set',
): PossibleChange[] {
  const known = scope.workspace.relationships.get(relationship);
  const far = known && scope.workspace.workflows.get(farWorkflow(known, scope.workflow.id));
  if (!far) return [];
  const { id, stages } = far.workflow;
  const initial = initialStage(stages)?.name ?? null;
  if (is === 'set') return changesOf(set, id);
  return [
    ...changesOf({ Stage: initial, ...set }, id, is),
    { is: 'linked', workflow: id, key: relationship },
  ];
}

export function renameLinked<Step extends LinkedStep>(step: Step, renames: StepRenames): Step {
  return { ...step, set: renames.linkedSet(step.relationship, step.set) };
}

/** The workflow at the other end, which is the same one where both ends are. */
export function farWorkflow({ from, to }: RelationshipDefinition, workflow: string): string {
  return from.workflow === workflow ? to.workflow : from.workflow;
}

/** The side of a relationship that a step reaches from its task. */
export function linkOfStep(workflow: Workflow, step: Pick<LinkedStep, 'relationship' | 'side'>): Link {
  const link = findLinkOfStep(workflow, step);
  if (!link) throw new StepFailed(say`there is no relationship ${step.relationship}`);
  return link;
}

/** What a step alters beside its task; where there is no such relationship any more, the step itself says so. */
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
