import { type ActionDefinition, type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { itemKey } from './identities.js';
import { type DefinitionRenames, noRenames, type WorkflowRenames } from './renames.js';
import { type SetDefinition, type SetValue, type StepDefinition, type StepType } from './step-definition.js';
import { type StepRenames } from './step-kind.js';
import { stepKinds, type StepKinds } from './step-kinds.js';
import { farWorkflow } from './steps/linked.js';

/**
 * A stored definition after its renames. What refers to an element by name follows, with two exceptions for the check
 * to find: names within expressions and templates, and e-mails that are values of person fields.
 */
export function renameStored(stored: WorkspaceDefinition, renames: DefinitionRenames): WorkspaceDefinition {
  return {
    ...stored,
    users: stored.users.map((user) => ({ ...user, email: renamed(user.email, renames) })),
    workflows: stored.workflows.map((workflow) => renameWorkflow(workflow, stored, renames)),
  };
}

function renamed(email: string, { users }: DefinitionRenames): string {
  return users.get(email.toLowerCase()) ?? email;
}

function renameWorkflow(
  workflow: WorkflowDefinition,
  stored: WorkspaceDefinition,
  renames: DefinitionRenames,
): WorkflowDefinition {
  const own = renames.workflows.get(workflow.id) ?? noRenames;
  const stage = (name: string): string => own.stages.get(name) ?? name;
  const items = workflow.checklist.map((item) => ({ ...item, stage: stage(item.stage) }));
  const ofSteps = stepRenames(workflow, stored, renames);
  return {
    ...workflow,
    stages: workflow.stages.map((element) => ({ ...element, name: stage(element.name) })),
    fields: workflow.fields.map((field) => ({ ...field, name: own.fields.get(field.name) ?? field.name })),
    checklist: items.map((item) => ({ ...item, title: own.items.get(itemKey(item)) ?? item.title })),
    members: workflow.members.map((member) => ({ ...member, email: renamed(member.email, renames) })),
    actions: workflow.actions.map((action) => renameAction(action, own, ofSteps)),
  };
}

function renameAction(
  action: ActionDefinition,
  own: WorkflowRenames,
  ofSteps: StepRenames,
): ActionDefinition {
  const { required_fields } = action.requirements;
  return {
    ...action,
    stages: action.stages.map(ofSteps.stage),
    requirements: {
      ...action.requirements,
      ...(required_fields && {
        required_fields: required_fields.map((name) => own.fields.get(name) ?? name),
      }),
    },
    steps: action.steps.map((step) => renameStep(step.type, step, ofSteps)),
  };
}

function renameStep<T extends StepType>(
  type: T,
  step: StepDefinition<T>,
  renames: StepRenames,
): StepDefinition<T> {
  const kind: StepKinds[T] = stepKinds[type];
  return kind.rename(step, renames);
}

function stepRenames(
  { id }: WorkflowDefinition,
  { relationships }: WorkspaceDefinition,
  renames: DefinitionRenames,
): StepRenames {
  const own = renames.workflows.get(id) ?? noRenames;
  return {
    stage: (name) => own.stages.get(name) ?? name,
    user: (email) => renamed(email, renames),
    set: (set) => renameKeys(set, own),
    linkedSet: (relationshipId, set) => {
      const relationship = relationships.find((candidate) => candidate.id === relationshipId);
      const far = relationship && renames.workflows.get(farWorkflow(relationship, id));
      return far ? renameLinkedValues(renameKeys(set, far), far, renames) : set;
    },
  };
}

function renameKeys(set: SetDefinition, { fields }: WorkflowRenames): SetDefinition {
  return Object.fromEntries(Object.entries(set).map(([name, value]) => [fields.get(name) ?? name, value]));
}

function renameLinkedValues(
  set: SetDefinition,
  { stages }: WorkflowRenames,
  renames: DefinitionRenames,
): SetDefinition {
  const entries = Object.entries(set).map(([name, value]): [string, SetValue] => {
    if (typeof value !== 'string') return [name, value];
    if (name === 'Stage') return [name, stages.get(value) ?? value];
    return [name, name === 'Assigned To' ? renamed(value, renames) : value];
  });
  return Object.fromEntries(entries);
}
