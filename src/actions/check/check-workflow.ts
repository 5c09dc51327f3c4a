import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type ApprovalsDefinition } from '../requirements/approvals/approvals-schema.js';
import { stepTypes } from '../step-types.js';

/** Reports approvals by people if the console is off, and mail if there is no mail server. */
export function checkWorkflow(scope: WorkflowScope, report: Report): void {
  const { hasConsole = true, hasMail = true } = scope.workspace.known;
  if (!hasConsole) reportPeople(scope, report);
  if (!hasMail) reportMail(scope, report);
}

/** Reports each group that needs approvals by signed-in people while the console is off. */
function reportPeople({ workflow }: WorkflowScope, report: Report): void {
  // The schema reports malformed approvals.
  const wanted = workflow.actions.flatMap(
    ({ requirements }) => (requirements['approvals'] ?? []) as ApprovalsDefinition[],
  );
  const message = 'is people, who must sign in to the console, but WTS_CONSOLE is off: write by: anyone';
  for (const group of wanted.flatMap(({ of }) => of)) if (group.by !== 'anyone') report(group, 'by', message);
}

function reportMail({ workflow }: WorkflowScope, report: Report): void {
  const steps = workflow.actions.flatMap((action) => action.steps);
  for (const step of steps.filter(({ type }) => stepTypes.get(type)?.needsMail))
    report(step, 'type', 'needs a mail server: set WTS_SMTP_URL');
}
