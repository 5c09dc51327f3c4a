import { checkExpression } from '../../../workflows/model/check/formulas.js';
import { type Report, type WorkflowScope } from '../../../workflows/model/check/kit.js';
import { type ActionDefinition } from '../../../workflows/model/action-definition.js';
import { type ApprovalsDefinition } from './approvals-schema.js';
import { readsCovered } from './reads-covered.js';

/** Refuses an action that asks for what its approvals cover, or for who may approve: values are given afterwards. */
export function checkAskedOfApprovals(action: ActionDefinition, scope: WorkflowScope, report: Report): void {
  for (const { id, isEverything, names } of action.fields ? groupsOf(action, scope) : [])
    for (const asked of action.fields?.filter(({ field }) => isEverything || names.has(field)) ?? []) {
      const remedy = `let another action ask for it${isEverything ? ', or write covers without it' : ''}`;
      const message = `is approved by ${id}, so nobody can be asked for it afterwards: ${asked.field}; ${remedy}`;
      report(asked, 'field', message);
    }
}

/** The groups of an action's approvals, and the keys of the task on which each depends. */
export function groupsOf(
  { requirements, steps }: ActionDefinition,
  scope: WorkflowScope,
): { readonly id: string; readonly isEverything: boolean; readonly names: ReadonlySet<string> }[] {
  // The definition has been read by its schema, so it has this form.
  const wanted = requirements['approvals'] as ApprovalsDefinition | undefined;
  const sides = scope.links;
  return (wanted?.of ?? []).map((group) => {
    const reads = readsCovered(
      group,
      steps,
      (name) => sides.has(name),
      // Faults of expressions are reported where they stand.
      (source) => checkExpression(group, 'when', source, scope, () => undefined, both),
    );
    const { id, covers = [], field = [], not = [] } = group;
    const read = reads.flatMap(({ fields, linked }) => [...fields, ...linked.keys()]);
    return { id, isEverything: !group.covers, names: new Set([covers, field, not, read].flat()) };
  });
}

const both = { name: 'linked', facts: ['body'] } as const;
