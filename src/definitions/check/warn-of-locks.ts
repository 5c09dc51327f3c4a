import { wantedRequirements } from '../../actions/requirement-types.js';
import { type ActionDefinition, type StageDefinition } from '../../workspace/definition.js';
import { type FieldDefinition } from '../../workspace/field-definition.js';
import { foundOnce, initialStage, type Report, type WorkflowScope } from '../../workspace/check/kit.js';

/** Warns of locked stages that a payload can enter, and of required fields that locks keep from being filled. */
export function warnOfLocks(scope: WorkflowScope, report: Report): void {
  const { stages } = scope.workflow;
  const initial = initialStage(stages);
  const isAnyOpen = stages.some((stage) => stage !== initial && stage.change === undefined);
  for (const stage of stages) {
    // The initial stage receives new tasks; a payload can only move tasks there from a stage that is not locked.
    const isOpen = stage !== initial || isAnyOpen;
    if (stage.change !== undefined && stage.enter !== 'by_actions' && isOpen)
      report(stage, 'change', open, 'warning');
  }
  const set = namesSet(scope.workspace);
  for (const action of scope.workflow.actions) warnOfUnfillable(action, scope, set, report);
}

const open =
  'locks tasks that any payload may move there: add enter: by_actions, so that only an action locks them';

function warnOfUnfillable(
  { requirements }: ActionDefinition,
  { fields, workflow: { stages } }: WorkflowScope,
  set: ReadonlySet<string>,
  report: Report,
): void {
  const [, , names] = wantedRequirements(requirements).find(([key]) => key === 'required_fields') ?? [];
  if (!Array.isArray(names)) return;
  names.forEach((name: unknown, index) => {
    const field = fields.get(String(name));
    if (field && !set.has(field.name) && !isFilledByHand(field, stages))
      report(names, index, `cannot be filled anywhere: ${field.name}; ${remedy}`, 'warning');
  });
}

const remedy = 'let an action ask for it (fields) or set it, or a stage leave it open (change)';

/** Whether a payload may set the field, in a new task or in one of the stages. */
function isFilledByHand(field: FieldDefinition, stages: readonly StageDefinition[]): boolean {
  if (field.default !== undefined) return true;
  if (field['change'] === 'by_actions') return false;
  if (field.required || !field.editable) return true;
  return stages.some(({ change }) => change === undefined || change.includes(field.name));
}

/** The names of the fields that actions, schedules and rules of any workflow set or ask for. */
export const namesSet = foundOnce((workspace): ReadonlySet<string> => {
  const actions = workspace.definition.workflows.flatMap((workflow) => workflow.actions);
  const asked = actions.flatMap(({ fields = [] }) => fields.map(({ field }) => field));
  const set = actions.flatMap(({ steps }) => steps.flatMap((step) => keysIn(step, 'set')));
  return new Set([...asked, ...set, ...namesCreated(workspace)]);
});

/** The names of the fields that new tasks get from actions, schedules and rules of any workflow. */
export const namesCreated = foundOnce(({ definition }): ReadonlySet<string> => {
  const names = definition.workflows.flatMap(({ actions, schedules, rules }) => [
    ...actions
      .flatMap(({ steps }) => steps.filter(({ type }) => type === 'create_linked_task'))
      .flatMap((step) => keysIn(step, 'set')),
    ...[...schedules, ...rules].flatMap((maker) => keysIn(maker, 'create')),
  ]);
  return new Set(names);
});

function keysIn(holder: object, key: string): string[] {
  const value: unknown = Object.entries(holder).find(([name]) => name === key)?.[1];
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
