import { wantedRequirements } from '../requirement-types.js';
import { type ActionDefinition } from '../../workflows/model/action-definition.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';

/** Warns of actions that need approvals in the same stage: an approval counts for one, so people are asked twice. */
export function warnOfApprovals({ workflow }: WorkflowScope, report: Report): void {
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
