import { type ApprovalsDefinition } from '../../../actions/requirements/approvals/approvals-schema.js';
import { type Report } from '../../model/check/kit.js';
import { type WorkspaceDefinition } from '../../model/definition.js';

/** Reports each group that needs approvals by signed-in people, when there are no pages to sign in to. */
export function reportPeople({ workflows }: WorkspaceDefinition, as: 'fault', report: Report): void {
  const actions = workflows.flatMap((workflow) => workflow.actions);
  // Malformed approvals are reported elsewhere.
  const wanted = actions.flatMap(
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
