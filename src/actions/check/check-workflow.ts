import {
  foundOnce,
  initialStage,
  type Report,
  type WorkflowScope,
  type WorkspaceScope,
} from '../../workflows/model/check/kit.js';
import { type ActionDefinition, type StepDefinition } from '../../workflows/model/action-definition.js';
import { type EnteredStage } from '../step.js';
import { wantedRequirements } from '../requirement-types.js';
import { type ApprovalsDefinition } from '../requirements/approvals/approvals-schema.js';
import { stepTypes } from '../step-types.js';

export function checkWorkflow(scope: WorkflowScope, report: Report): void {
  warnOfApprovals(scope, report);
  warnOfUnenteredStages(scope, report);
  const { mail, people } = scope.workspace.known;
  if (people) reportPeople(scope, people, report);
  if (mail) reportMail(scope, mail, report);
}

/** Warns of stages that only actions may enter if no action does. The initial stage is entered by new tasks. */
function warnOfUnenteredStages({ workspace, workflow }: WorkflowScope, report: Report): void {
  const { stages } = workflow;
  const initial = initialStage(stages);
  const barred = stages.filter((stage) => stage.enter === 'by_actions' && stage !== initial);
  if (barred.length === 0) return;
  const entered = stagesEntered(workspace).get(workflow.id);
  for (const stage of barred)
    if (!entered?.has(undefined) && !entered?.has(stage.name)) report(stage, 'enter', unentered, 'warning');
}

/** The stages that steps of any workflow enter, by workflow; undefined if they may enter any stage. */
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

export function enteredBy(step: StepDefinition, scope: WorkflowScope): readonly EnteredStage[] {
  return stepTypes.get(step.type)?.enters?.(step, scope) ?? [];
}

/** An approval counts for one action, so people would be asked twice. */
function warnOfApprovals({ workflow }: WorkflowScope, report: Report): void {
  const asking = workflow.actions.filter(({ requirements }) =>
    wantedRequirements(requirements).some(([key]) => key === 'approvals'),
  );
  const names = workflow.stages.filter(({ end }) => !end).map(({ name }) => name);
  const stagesOf = ({ stages }: ActionDefinition): readonly string[] => (stages.length > 0 ? stages : names);
  const first = new Map<string, ActionDefinition>();
  for (const action of asking) {
    const both = new Map<ActionDefinition, string[]>();
    for (const stage of stagesOf(action)) {
      const other = first.get(stage);
      if (other) both.set(other, [...(both.get(other) ?? []), stage]);
      else first.set(stage, action);
    }
    for (const [other, stages] of both) {
      const message = `asks for approvals in ${stages.join(', ')}, as ${other.name} does: ${remedy}`;
      report(action, 'id', message, 'warning');
    }
  }
}

const remedy =
  'an approval counts for one action only; let one action ask, with groups that have a when, or give them stages of their own';

/** Reports each group that needs approvals by signed-in people if there are no pages where they could sign in. */
function reportPeople({ workflow }: WorkflowScope, as: 'fault', report: Report): void {
  // Malformed approvals are reported elsewhere.
  const wanted = workflow.actions.flatMap(
    ({ requirements }) => (requirements['approvals'] ?? []) as ApprovalsDefinition[],
  );
  for (const group of wanted.flatMap(({ of }) => of))
    if (group.by !== 'anyone')
      report(
        group,
        'by',
        'is people, who must sign in to the console, but WTS_CONSOLE is off: write by: anyone',
        as,
      );
}

function reportMail({ workflow }: WorkflowScope, as: 'fault' | 'warning', report: Report): void {
  const steps = workflow.actions.flatMap((action) => action.steps);
  for (const step of steps.filter(({ type }) => stepTypes.get(type)?.needsMail))
    report(step, 'type', 'needs a mail server: set WTS_SMTP_URL', as);
}
