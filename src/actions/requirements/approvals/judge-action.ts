import { type Expression } from '../../../workflows/expressions/expression.js';
import { ExpressionError } from '../../../workflows/expressions/expression-error.js';
import { type ExpressionContext, expressionInput } from '../../action-context.js';
import { type ApprovalGroup, type ApprovalPlan } from './approval-group.js';
import { type LoadedApprovals } from './approvals.repository.js';
import { type ApprovalFacts } from './who-may-approve.js';
import { type JudgedApprovals, judgeApprovals, type Need } from './judge-approvals.js';
import { todayIn } from '../../../common/calendar.js';

/** Judges the approvals of an action on a task. The performer matters only if the action is about to run. */
export function judgeAction(
  plan: ApprovalPlan,
  actionId: string,
  context: ExpressionContext,
  loaded: LoadedApprovals,
): JudgedApprovals {
  return judgeApprovals(plan, factsAbout(actionId, context, loaded), needsOf(plan, context));
}

/** Collects the facts that determine who may approve. */
export function factsAbout(
  actionId: string,
  { scope: { workflow }, task, performer }: ExpressionContext,
  loaded: LoadedApprovals,
): ApprovalFacts {
  const today = todayIn(workflow.timezone, loaded.now);
  return { workflow, task, actionId, loaded, performerId: performer?.id, today };
}

function needsOf({ groups }: ApprovalPlan, context: ExpressionContext): ReadonlyMap<string, Need> {
  return new Map(groups.map((group) => [group.id, needOf(group, context)]));
}

function needOf({ when }: ApprovalGroup, context: ExpressionContext): Need {
  if (!when) return 'needed';
  if (!when.expression || context.timeAllowed.isUsedUp) return 'broken';
  return evaluate(when.expression, context);
}

function evaluate(expression: Expression, context: ExpressionContext): Need {
  try {
    const result = expression.evaluate(expressionInput(context, expression), context.timeAllowed);
    if (typeof result !== 'boolean') return 'broken';
    return result ? 'needed' : 'unneeded';
  } catch (error) {
    if (error instanceof ExpressionError) return 'broken';
    throw error;
  }
}
