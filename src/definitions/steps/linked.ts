import { checkLinkedSet } from '../checks/set.js';
import { type Report } from '../checks/report.js';
import { type WorkflowScope } from '../checks/scope.js';
import { type RelationshipDefinition } from '../definition.js';
import { type JsonMapping } from '../json-value.js';
import { readSet } from '../read-set.js';
import { type StepRenames } from '../step-kind.js';
import { asText, optional } from '../shape.js';
import { type SetDefinition, type Side } from '../step-definition.js';

// What the two types of step that reach linked tasks have alike.

interface LinkedStep {
  relationship: string;
  side?: Side;
  set: SetDefinition;
}

export function readLinked({ relationship, side, set }: JsonMapping): LinkedStep {
  return {
    relationship: asText(relationship),
    ...optional('side', side, (value): Side | undefined =>
      value === 'from' || value === 'to' ? value : undefined,
    ),
    set: readSet(set),
  };
}

export function checkLinked(step: LinkedStep, scope: WorkflowScope, report: Report): void {
  const { workspace, workflow } = scope;
  const relationship = workspace.relationships.get(step.relationship);
  const isOfWorkflow =
    relationship?.from.workflow === workflow.id || relationship?.to.workflow === workflow.id;
  if (!relationship || !isOfWorkflow) {
    report(step, 'relationship', `is not a relationship of workflow ${workflow.id}: ${step.relationship}`);
    return;
  }
  checkSide(step, relationship, report);
  const target = workspace.workflows.get(farWorkflow(relationship, workflow.id));
  if (target) checkLinkedSet(step.set, scope, target, report);
}

function checkSide(step: LinkedStep, { from, to }: RelationshipDefinition, report: Report): void {
  const isNeeded = from.workflow === to.workflow;
  if (isNeeded && !step.side) report(step, 'side', 'is required, as both ends are this workflow');
  if (!isNeeded && step.side) report(step, 'side', 'is for relationships of a workflow with itself');
}

export function renameLinked<Step extends LinkedStep>(step: Step, renames: StepRenames): Step {
  return { ...step, set: renames.linkedSet(step.relationship, step.set) };
}

/** The workflow at the other end, which is the same one where both ends are. */
export function farWorkflow({ from, to }: RelationshipDefinition, workflow: string): string {
  return from.workflow === workflow ? to.workflow : from.workflow;
}
