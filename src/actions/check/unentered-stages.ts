import {
  foundOnce,
  initialStage,
  type Report,
  type WorkflowScope,
  type WorkspaceScope,
} from '../../workflows/model/check/kit.js';
import { type StepDefinition } from '../../workflows/model/action-definition.js';
import { type PossibleChange } from '../step.js';
import { stepTypes } from '../step-types.js';

/** Warns of stages that only actions may enter if no action does; new tasks enter the initial stage anyway. */
export function warnOfUnenteredStages({ workspace, workflow }: WorkflowScope, report: Report): void {
  const { stages } = workflow;
  const initial = initialStage(stages);
  const barred = stages.filter((stage) => stage.enter === 'by_actions' && stage !== initial);
  if (barred.length === 0) return;
  const entered = stagesEntered(workspace).get(workflow.id);
  for (const stage of barred)
    if (!entered?.has(undefined) && !entered?.has(stage.name)) report(stage, 'enter', unentered, 'warning');
}

/** The stages that steps of any workflow enter, by workflow; undefined stands for all of them. */
const stagesEntered = foundOnce(({ workflows }: WorkspaceScope) => {
  const entered = new Map<string, Set<string | undefined>>();
  for (const scope of workflows.values())
    for (const step of scope.workflow.actions.flatMap(({ steps }) => steps))
      for (const { workflow, to } of enteredBy(step, scope))
        entered.set(workflow, (entered.get(workflow) ?? new Set()).add(to));
  return entered;
});

const unentered =
  'is by_actions, but no action enters it: add a step move_to_stage to an action, or omit enter';

/** The stages that a step enters. */
export function enteredBy(step: StepDefinition, scope: WorkflowScope): readonly PossibleChange[] {
  const changes = stepTypes.get(step.type)?.changes?.(step, scope) ?? [];
  return changes.filter(({ key, is }) => key === 'Stage' && is !== 'linked');
}
