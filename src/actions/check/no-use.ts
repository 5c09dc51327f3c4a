import { type ActionDefinition, type StepDefinition } from '../../workflows/model/action-definition.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { stepTypes } from '../step-types.js';
import { enteredBy } from './check-workflow.js';
import { wantedRequirements } from '../requirement-types.js';
import { type FieldDefinition } from '../../workflows/model/field-definition.js';
import { type StageDefinition } from '../../workflows/model/stage-definition.js';

/** Warns of an action that nobody starts, of steps without effect, and of calls that may take too long. */
export function warnOfNoUse(action: ActionDefinition, scope: WorkflowScope, report: Report): void {
  warnOfNobody(action, scope, report);
  warnOfIdleSteps(action, scope, report);
  warnOfLongCalls(action.steps, report);
}

/** Warns of an action that no role includes; if only rules may start it, warns if nothing starts it. */
function warnOfNobody(
  action: ActionDefinition,
  { workspace, workflow }: WorkflowScope,
  report: Report,
): void {
  if (action.start === 'by_rules') {
    if (!workspace.uses.isStarted(workflow.id, action.id)) report(action, 'start', unstarted, 'warning');
    return;
  }
  const { roles } = workflow;
  const isStarted =
    roles.length === 0 || roles.some(({ admin, actions }) => admin || actions.includes(action.id));
  if (!isStarted)
    report(action, 'id', 'can be started only by API keys: add it to the actions of a role', 'warning');
}

const unstarted =
  'is by_rules, but nothing here starts it: name it as run of a rule, rung or schedule, or in a step schedule_action';

function warnOfIdleSteps({ stages, steps }: ActionDefinition, scope: WorkflowScope, report: Report): void {
  let at = stages.length === 1 ? stages[0] : undefined;
  for (const [index, step] of steps.entries()) {
    const type = stepTypes.get(step.type);
    const next = steps[index + 1];
    // What a step changes on its own task is lost if the next step deletes the task.
    const isLost =
      type && !type.touches && !type.isSentLater && !type.effect && stepTypes.get(next?.type ?? '')?.isLast;
    if (next?.when === undefined && (isLost || (type?.isReplaced && next?.type === step.type))) {
      const why = isLost ? 'deletes the task' : 'does it again';
      report(step, 'type', `has no effect because the next step ${why}: remove one of the two`, 'warning');
      continue;
    }
    if (!type || type.touches) continue;
    const [entered] = enteredBy(step, scope);
    if (!entered) continue;
    if (entered.to !== undefined && entered.to === at)
      report(
        step,
        'stage',
        `is the stage where the task already is: ${at}; name another, or remove the step`,
        'warning',
      );
    at = step.when === undefined ? entered.to : undefined;
  }
}

/** Warns of calls that, with all their tries, may take longer than an execution may. */
function warnOfLongCalls(steps: readonly StepDefinition[], report: Report): void {
  let sum = 0;
  for (const step of steps) {
    const seconds = stepTypes.get(step.type)?.seconds?.(step) ?? 0;
    if (sum < EXECUTION_SECONDS && sum + seconds >= EXECUTION_SECONDS)
      report(
        step,
        'tries',
        `may take ${sum + seconds} s${sum > 0 ? ' with the calls before it' : ''}, but an execution ends after ${EXECUTION_SECONDS} s: lower tries or timeout_seconds`,
        'warning',
      );
    sum += seconds;
  }
}

/** An execution fails after this time. */
const EXECUTION_SECONDS = 300;

/** Warns of required fields that nothing sets while locks keep people from filling them. */
export function warnOfUnfillable(
  { requirements }: ActionDefinition,
  { workspace, fields, workflow }: WorkflowScope,
  report: Report,
): void {
  const [, , names] = wantedRequirements(requirements).find(([key]) => key === 'required_fields') ?? [];
  if (!Array.isArray(names)) return;
  names.forEach((name: unknown, index) => {
    const field = fields.get(String(name));
    if (field && !workspace.uses.isSet(workflow.id, field.name) && !isFilledByHand(field, workflow.stages))
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
