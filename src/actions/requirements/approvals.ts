import { approvalsOf } from './approvals/approval-group.js';
import { messagesOfGroup } from './approvals/approval-messages.js';
import { approvalsSchema } from './approvals/approvals-schema.js';
import { loadApprovals, lockDecisions, type LoadedApprovals } from './approvals/approvals.repository.js';
import { checkApprovals } from './approvals/check-approvals.js';
import { judgeAction } from './approvals/judge-approvals.js';
import { expressionsOf } from '../linked-reads.js';
import { requirementType } from '../requirement.js';

export const approvals = requirementType<typeof approvalsSchema, LoadedApprovals | undefined>(
  approvalsSchema,
  {
    check: checkApprovals,
    async load(db, [placed], actionIds) {
      if (!placed) return new Map();
      const { task, scope } = placed;
      const plans = actionIds.flatMap((id) => approvalsOf(scope.workflow, id) ?? []);
      // Locks the decisions, so that they do not change before the execution ends.
      if (db.queryRunner) await lockDecisions(db, scope.workflow, task.id, plans);
      return loadApprovals(db, scope.workflow, [task.id], plans);
    },
    expressions: ({ of }, schema) => expressionsOf(of, schema),
    compile(_, schema, actionId) {
      return (context, loaded) => {
        const plan = approvalsOf(context.scope.workflow, actionId);
        // A deleted task is reported elsewhere.
        if (!plan || !loaded) return [];
        const { groups } = judgeAction(plan, context, loaded);
        const incomplete = groups.filter(({ isComplete }) => !isComplete);
        const messages = incomplete.flatMap((group) => messagesOfGroup(group, schema));
        return messages.map((message) => ({ message, isOfApprovals: true }));
      };
    },
  },
);
