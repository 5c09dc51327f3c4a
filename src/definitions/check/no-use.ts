import { type PossibleChange } from '../../actions/step.js';
import { stepTypes } from '../../actions/step-types.js';
import {
  type ActionDefinition,
  type StepDefinition,
  type WorkflowDefinition,
} from '../../workspace/definition.js';
import { foundOnce, initialStage, type Report, type WorkflowScope } from '../../workspace/check/kit.js';

/** Warns of parts of a workflow without any effect, and of calls that may exceed the time of an execution. */
export function warnOfNoUse(scope: WorkflowScope, report: Report): void {
  warnOfUnenteredStages(scope, report);
  for (const action of scope.workflow.actions) {
    warnOfNobody(action, scope, report);
    warnOfIdleSteps(action, scope, report);
    warnOfLongCalls(action.steps, report);
  }
}

/** Warns of stages that only actions may enter if no action does; new tasks enter the initial stage anyway. */
function warnOfUnenteredStages({ workspace, workflow }: WorkflowScope, report: Report): void {
  const { stages } = workflow;
  const initial = initialStage(stages);
  const barred = stages.filter((stage) => stage.enter === 'by_actions' && stage !== initial);
  if (barred.length === 0) return;
  const entered = stagesEntered(workspace).get(workflow.id);
  for (const stage of barred)
    if (!entered?.has(undefined) && !entered?.has(stage.name)) report(stage, 'enter', unentered, 'warning');
}

/** The stages that steps of any workflow enter, by workflow; undefined stands for all of them. */
const stagesEntered = foundOnce(({ workflows }) => {
  const entered = new Map<string, Set<string | undefined>>();
  for (const scope of workflows.values())
    for (const step of scope.workflow.actions.flatMap(({ steps }) => steps))
      for (const { workflow, to } of enteredBy(step, scope))
        entered.set(workflow, (entered.get(workflow) ?? new Set()).add(to));
  return entered;
});

const unentered =
  'is by_actions, but no action enters it: add a step move_to_stage to an action, or omit enter';

function enteredBy(step: StepDefinition, scope: WorkflowScope): readonly PossibleChange[] {
  const changes = stepTypes.get(step.type)?.changes?.(step, scope) ?? [];
  return changes.filter(({ key, is }) => key === 'Stage' && is !== 'linked');
}

/** Warns of an action that no role includes; for one that only rules start, warns if nothing starts it. */
function warnOfNobody(
  action: ActionDefinition,
  { workspace, workflow: { roles } }: WorkflowScope,
  report: Report,
): void {
  if (action.start === 'by_rules') {
    if (!actionsStarted(workspace).has(action.id)) report(action, 'start', unstarted, 'warning');
    return;
  }
  const isStarted =
    roles.length === 0 || roles.some(({ admin, actions }) => admin || actions.includes(action.id));
  if (!isStarted)
    report(action, 'id', 'can be started only by API keys: add it to the actions of a role', 'warning');
}

const unstarted =
  'is by_rules, but nothing here starts it: name it as run of a rule, rung or schedule, or in a step schedule_action';

/** The ids of the actions that rules, rungs, schedules and steps of any workflow start. */
const actionsStarted = foundOnce(({ definition }) => new Set(definition.workflows.flatMap(startedBy)));

function startedBy({ actions, rules, clocks, schedules }: WorkflowDefinition): string[] {
  const starters = [...rules, ...clocks.flatMap(({ rungs }) => rungs), ...schedules];
  const steps = actions.flatMap((action) => action.steps).map((step) => Object.entries(step));
  const scheduled = steps.map((step) => step.find(([key]) => key === 'action')?.[1] as unknown);
  return [...starters.map(({ run }) => run), ...scheduled].filter((id) => typeof id === 'string');
}

/** Warns of steps whose effect the next step undoes, and of moves to the stage where the task already is. */
function warnOfIdleSteps({ stages, steps }: ActionDefinition, scope: WorkflowScope, report: Report): void {
  let at = stages.length === 1 ? stages[0] : undefined;
  for (const [index, step] of steps.entries()) {
    const type = stepTypes.get(step.type);
    const next = steps[index + 1];
    // The effect of a step that changes only its own task is lost when the next step deletes the task.
    const isLost = type && !type.touches && !type.effect && stepTypes.get(next?.type ?? '')?.isLast;
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

/** Warns of calls that, with all their tries, may exceed the time of an execution. */
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

/** The time after which an execution fails. */
const EXECUTION_SECONDS = 300;
