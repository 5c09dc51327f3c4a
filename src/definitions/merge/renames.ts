import {
  type WorkflowDefinition,
  type WorkspaceDefinition,
  type ActionDefinition,
} from '../../workspace/definition.js';
import { type ClockDefinition } from '../../workspace/clock-definition.js';
import { type RuleDefinition } from '../../workspace/rule-definition.js';
import { renameQuery, renameSchedule } from '../../schedules/rename-schedule.js';
import { triggerTypes } from '../../rules/trigger-types.js';
import { type ViewDefinition } from '../../workspace/view-definition.js';
import { type WebhookDefinition } from '../../workspace/webhook-definition.js';
import { emailOf, idOf, itemKey, nameOfElement } from './identities.js';
import { type StepRenames } from '../../actions/step.js';
import { wantedRequirements } from '../../actions/requirement-types.js';
import { stepTypes } from '../../actions/step-types.js';
import { type SetDefinition, type SetValue } from '../../workspace/schema-parts.js';
import { farWorkflow } from '../../actions/steps/linked.js';

/** The effective renames of a file's `was:`, by former identity. */
export interface DefinitionRenames {
  /** From a former e-mail, in lower case, to the new one. */
  readonly users: ReadonlyMap<string, string>;
  readonly workflows: ReadonlyMap<string, WorkflowRenames>;
}

export interface WorkflowRenames {
  readonly stages: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
  readonly actions: ReadonlyMap<string, string>;
  /** From the key of an item, with the new name of its stage, to the new title. */
  readonly items: ReadonlyMap<string, string>;
}

export const noRenames: WorkflowRenames = {
  stages: new Map(),
  fields: new Map(),
  actions: new Map(),
  items: new Map(),
};

/** Finds the `was:` of a file that have something to rename. */
export function findRenames(stored: WorkspaceDefinition, file: WorkspaceDefinition): DefinitionRenames {
  const users = file.users.map((user) => ({
    was: user.was?.toLowerCase(),
    id: emailOf(user),
    now: user.email,
  }));
  const workflows = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  return {
    users: effective(stored.users.map(emailOf), users),
    workflows: new Map(
      file.workflows.map((workflow) => [workflow.id, workflowRenames(workflows.get(workflow.id), workflow)]),
    ),
  };
}

function workflowRenames(stored: WorkflowDefinition | undefined, file: WorkflowDefinition): WorkflowRenames {
  if (!stored) return noRenames;
  const stages = effective(stored.stages.map(nameOfElement), file.stages.map(toNamed));
  const items = stored.checklist.map(({ title, stage }) =>
    itemKey({ title, stage: stages.get(stage) ?? stage }),
  );
  return {
    stages,
    fields: effective(stored.fields.map(nameOfElement), file.fields.map(toNamed)),
    actions: effective(
      stored.actions.map(idOf),
      file.actions.map(({ was, id }) => ({ was, id, now: id })),
    ),
    items: effective(
      items,
      file.checklist.map(({ title, was, stage }) => ({
        was: was === undefined ? undefined : itemKey({ title: was, stage }),
        id: itemKey({ title, stage }),
        now: title,
      })),
    ),
  };
}

interface Wanted {
  readonly was: string | undefined;
  readonly id: string;
  readonly now: string;
}

function toNamed({ name, was }: { name: string; was?: string }): Wanted {
  return { was, id: name, now: name };
}

/**
 * A rename takes effect if the former name is stored and the new name is free, or becomes free by another rename that
 * takes effect. Applying the same file twice therefore renames nothing the second time.
 */
function effective(stored: readonly string[], wanted: readonly Wanted[]): Map<string, string> {
  const names = new Set(stored);
  const renames = new Map<string, string>();
  let pending = wanted;
  for (;;) {
    const ready = pending.find(({ was, id }) => was !== undefined && names.has(was) && !names.has(id));
    if (ready?.was === undefined) return renames;
    renames.set(ready.was, ready.now);
    names.delete(ready.was);
    pending = pending.filter((other) => other !== ready && other.id !== ready.id);
  }
}

/**
 * A stored definition after its renames. References by name follow, except for names within expressions and templates,
 * and e-mails in values of person fields. The check reports those.
 */
export function renameStored(stored: WorkspaceDefinition, renames: DefinitionRenames): WorkspaceDefinition {
  return {
    ...stored,
    users: stored.users.map((user) => ({
      ...user,
      email: renamed(user.email, renames),
      ...(user.away && { away: { ...user.away, to: renamed(user.away.to, renames) } }),
    })),
    workflows: stored.workflows.map((workflow) => renameWorkflow(workflow, stored, renames)),
    webhooks: stored.webhooks.map((webhook) => renameWebhook(webhook, renames)),
    views: stored.views.map((view) => renameView(view, stored, renames)),
  };
}

/** Renames the parts of a view's query that concern the tasks of its own workflow. */
function renameView(
  view: ViewDefinition,
  stored: WorkspaceDefinition,
  renames: DefinitionRenames,
): ViewDefinition {
  const own = renamesOfQueries(view.workflow, stored, renames);
  if (!own) return view;
  return { ...view, query: renameQuery(view.query, own), columns: view.columns.map(own.field) };
}

/** The renames for queries of a workflow's tasks; undefined if the workflow is new. */
function renamesOfQueries(
  slug: string,
  stored: WorkspaceDefinition,
  renames: DefinitionRenames,
): StepRenames | undefined {
  const workflow = stored.workflows.find(({ id }) => id === slug);
  return workflow && stepRenames(workflow, stored, renames);
}

/** The fields of a webhook follow a rename in any of its workflows. */
function renameWebhook(webhook: WebhookDefinition, { workflows }: DefinitionRenames): WebhookDefinition {
  if (!webhook.fields) return webhook;
  const about = [...workflows].filter(([id]) => webhook.workflows?.includes(id) ?? true);
  const renameField = (name: string): string =>
    about.flatMap(([, { fields }]) => fields.get(name) ?? [])[0] ?? name;
  return { ...webhook, fields: webhook.fields.map(renameField) };
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
    stages: workflow.stages.map((element) => ({
      ...element,
      name: stage(element.name),
      ...(Array.isArray(element.change) && { change: element.change.map(ofSteps.field) }),
    })),
    fields: workflow.fields.map((field) => ({ ...field, name: own.fields.get(field.name) ?? field.name })),
    checklist: items.map((item) => ({ ...item, title: own.items.get(itemKey(item)) ?? item.title })),
    members: workflow.members.map((member) => ({ ...member, email: renamed(member.email, renames) })),
    actions: workflow.actions.map((action) => renameAction(action, ofSteps, own)),
    roles: workflow.roles.map((role) => ({
      ...role,
      actions: role.actions.map((id) => own.actions.get(id) ?? id),
    })),
    rules: workflow.rules.map((rule) => withActions(renameRule(rule, ofSteps), own)),
    clocks: workflow.clocks.map((clock) => ({
      ...renameClock(clock, ofSteps),
      rungs: clock.rungs.map((rung) => withActions(rung, own)),
    })),
    schedules: workflow.schedules.map((schedule) => withActions(renameSchedule(schedule, ofSteps), own)),
  };
}

/** The element with renamed actions; with `of`, a rule runs an action of another workflow. */
function withActions<T extends object>(element: T, { actions }: WorkflowRenames): T {
  const keys = 'of' in element && element.of !== undefined ? ['action'] : ['action', 'run'];
  const entries = Object.entries(element).map(([key, value]: [string, unknown]) => [
    key,
    keys.includes(key) && typeof value === 'string' ? (actions.get(value) ?? value) : value,
  ]);
  return { ...element, ...(Object.fromEntries(entries) as object) };
}

function renameAction(
  action: ActionDefinition,
  ofSteps: StepRenames,
  own: WorkflowRenames,
): ActionDefinition {
  const requirements = wantedRequirements(action.requirements).map(
    ([key, type, wanted]): [string, unknown] => [key, type.rename ? type.rename(wanted, ofSteps) : wanted],
  );
  return {
    ...action,
    id: own.actions.get(action.id) ?? action.id,
    stages: action.stages.map(ofSteps.stage),
    ...(action.fields && {
      fields: action.fields.map((asked) => ({ ...asked, field: ofSteps.field(asked.field) })),
    }),
    requirements: { ...action.requirements, ...Object.fromEntries(requirements) },
    steps: action.steps.map((step) =>
      withActions(stepTypes.get(step.type)?.rename?.(step, ofSteps) ?? step, own),
    ),
  };
}

function renameClock(clock: ClockDefinition, { stage, field }: StepRenames): ClockDefinition {
  const stagesOf = (of: { stages: string[] }): { stages: string[] } => ({ stages: of.stages.map(stage) });
  const { starts, while: within, pauses, stops, due, budget } = clock;
  return {
    ...clock,
    ...(starts && { starts: 'stages' in starts ? stagesOf(starts) : { field: field(starts.field) } }),
    ...(within && { while: stagesOf(within) }),
    ...(pauses && { pauses: stagesOf(pauses) }),
    ...(stops && { stops: stagesOf(stops) }),
    ...(due && { due: { ...due, field: field(due.field) } }),
    ...(typeof budget === 'object' && { budget: { ...budget, field: field(budget.field) } }),
  };
}

function renameRule(rule: RuleDefinition, renames: StepRenames): RuleDefinition {
  const renamedRule = triggerTypes.get(rule.on)?.rename?.(rule, renames) ?? rule;
  return {
    ...renamedRule,
    ...(rule.as !== undefined && { as: renames.user(rule.as) }),
    // With `of`, the fields belong to another workflow.
    ...(rule.fields && rule.of === undefined && { fields: renames.set(rule.fields) }),
  };
}

function stepRenames(
  { id }: WorkflowDefinition,
  { relationships }: WorkspaceDefinition,
  renames: DefinitionRenames,
): StepRenames {
  const own = renames.workflows.get(id) ?? noRenames;
  return {
    stage: (name) => own.stages.get(name) ?? name,
    field: (name) => own.fields.get(name) ?? name,
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
