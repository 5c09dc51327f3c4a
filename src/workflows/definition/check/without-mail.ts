import { stepTypes } from '../../../actions/step-types.js';
import { type Report } from '../../model/check/kit.js';
import { type WorkspaceDefinition } from '../../model/definition.js';

/** Reports each step that sends mail when no mail server is configured. */
export function reportMail(
  { workflows }: WorkspaceDefinition,
  as: 'fault' | 'warning',
  report: Report,
): void {
  const steps = workflows.flatMap(({ actions }) => actions.flatMap((action) => action.steps));
  for (const step of steps.filter(({ type }) => stepTypes.get(type)?.needsMail))
    report(step, 'type', 'needs a mail server: set WTS_SMTP_URL', as);
}
