import { wantedRequirements } from '../../actions/requirement-types.js';
import { type ActionDefinition } from '../../workspace/definition.js';
import { type Report, type WorkflowScope } from '../../workspace/check/kit.js';

/** Warns of actions that need approvals in the same stage: an approval counts for one, so people are asked twice. */
export function warnOfApprovals({ workflow }: WorkflowScope, report: Report): void {
  const asking = workflow.actions.filter(({ requirements }) =>
    wantedRequirements(requirements).some(([key]) => key === 'approvals'),
  );
  const names = workflow.stages.filter(({ end }) => !end).map(({ name }) => name);
  const stagesOf = ({ stages }: ActionDefinition): readonly string[] => (stages.length > 0 ? stages : names);
  asking.forEach((action, at) => {
    for (const other of asking.slice(0, at)) {
      const both = stagesOf(action).filter((stage) => stagesOf(other).includes(stage));
      if (both.length === 0) continue;
      const message = `asks for approvals in ${both.join(', ')}, as ${other.name} does: ${remedy}`;
      report(action, 'id', message, 'warning');
    }
  });
}

const remedy =
  'an approval counts for one action only; let one action ask, with groups that have a when, or give them stages of their own';
