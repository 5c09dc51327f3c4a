import { approvalsOf, coveredSides } from './approvals/approval-group.js';
import { messagesOfGroup } from './approvals/approval-messages.js';
import { approvalsSchema } from './approvals/approvals-schema.js';
import { loadApprovals, lockDecisions, type LoadedApprovals } from './approvals/approvals.repository.js';
import { checkApprovals } from './approvals/check-approvals.js';
import { judgeAction } from './approvals/judge-approvals.js';
import { expressionIfAny } from '../linked-reads.js';
import { requirementType } from '../requirement.js';

export const approvals = requirementType<typeof approvalsSchema, LoadedApprovals | undefined>(
  approvalsSchema,
  {
    check: checkApprovals,
    async load(db, { scope: { workflow }, task }, wanted) {
      const actionIds = wanted.map(({ actionId }) => actionId);
      const groups = actionIds.flatMap((id) => approvalsOf(workflow, id)?.groups ?? []);
      // Locks the decisions, so that they do not change before the execution ends.
      if (db.queryRunner) await lockDecisions(db, workflow, task.id, actionIds);
      const sides = coveredSides(groups.filter(({ not }) => not.has('editors')));
      const loaded = await loadApprovals(db, { workflow, taskIds: [task.id], actionIds, sides });
      return loaded.get(task.id);
    },
    *expressions({ of }, schema) {
      for (const { when } of of) {
        const expression = when === undefined ? undefined : expressionIfAny(schema, when);
        if (expression) yield expression;
      }
    },
    compile(_, schema, actionId) {
      return (context, loaded) => {
        const plan = approvalsOf(context.scope.workflow, actionId);
        // If the task was deleted meanwhile, that is reported elsewhere.
        if (!plan || !loaded) return [];
        const { groups, override } = judgeAction(plan, actionId, context, loaded);
        if (override) return [];
        return groups
          .filter(({ isComplete }) => !isComplete)
          .flatMap((judged) =>
            messagesOfGroup(judged, schema).map((message) => ({ message, isOfApprovals: true as const })),
          );
      };
    },
  },
);
