import Type from 'typebox';
import { type Message, say } from '../../../common/message.js';
import { refers } from '../../../workflows/model/marks.js';
import { triggerType, type TriggerType } from '../trigger.js';

export const executionSucceeded = actionTrigger({
  title: 'An action succeeds',
  description:
    'An execution ended with Success; `when` and `fields` may read execution["action"], execution["performer"].',
  type: 'execution.succeeded',
  reads: 'execution',
  because: (action) => say`${action} succeeded`,
  whyNot: notAvailable,
});

export const executionFailed = actionTrigger({
  title: 'An action fails',
  description:
    'An execution began, and ended with Fail; `when` and `fields` may read execution["action"], execution["performer"], execution["errors"].',
  type: 'execution.failed',
  reads: 'execution',
  because: (action) => say`${action} failed`,
  whyNot: notAvailable,
});

const approvalFacts =
  '`when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].';

export const approvalComplete = actionTrigger({
  title: 'The approvals of an action are complete',
  description: `Every needed group has all its approvals; ${approvalFacts}`,
  type: 'approval.complete',
  reads: 'approval',
  because: (action) => say`${action} has all its approvals`,
  whyNot: (about, action) =>
    about['is_last'] === true ? repeated(about, action) : 'other groups are not complete',
});

export const approvalRejected = actionTrigger({
  title: 'An approval is rejected',
  description: `Somebody who may approve an action has rejected it; ${approvalFacts}`,
  type: 'approval.decided',
  reads: 'approval',
  because: (action) => say`${action} was rejected`,
  whyNot: (about, action) =>
    about['decision'] === 'reject' ? repeated(about, action) : 'the decision is not a rejection',
});

export const approvalStale = actionTrigger({
  title: 'An approval no longer counts',
  description: `Something that a decision covers has changed, or an approval has expired; ${approvalFacts}`,
  type: 'approval.stale',
  reads: 'approval',
  because: (action) => say`an approval of ${action} is stale`,
  whyNot: repeated,
});

type About = Readonly<Record<string, unknown>>;

interface ActionTrigger {
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly reads: 'execution' | 'approval';
  readonly because: (action: string) => Message;
  /** Why an event of the type does not match; undefined if it matches. */
  readonly whyNot: (about: About, action: string) => Message | undefined;
}

/** An action that was not available never started, so it has not failed. */
function notAvailable(about: About, action: string): Message | undefined {
  return about['unavailable'] === true ? say`${action} was not available` : undefined;
}

function repeated(about: About, action: string): Message | undefined {
  return about['is_repeated'] === true
    ? say`${action} was reported before, and the task has not changed since`
    : undefined;
}

function actionTrigger({ title, description, type, reads, because, whyNot }: ActionTrigger): TriggerType {
  const isOfApproval = reads === 'approval';
  const settings = Type.Object(
    {
      action: Type.Optional(
        Type.String({
          ...refers('action'),
          title: 'Action',
          description: `The id of an action${isOfApproval ? ' with approvals' : ''}. Default: any.`,
        }),
      ),
    },
    { title, description, examples: [{ action: 'close' }] },
  );
  return triggerType(settings, {
    types: [type],
    reads,
    check(rule, { workflow: { actions } }, report) {
      const action = actions.find(({ id }) => id === rule.action);
      if (isOfApproval && action && !('approvals' in action.requirements))
        report(rule, 'action', `needs no approvals: ${action.id}`);
    },
    compile:
      ({ action }, { actions }) =>
      ({ event: { about } }) => {
        const { action: id, name: told } = about ?? {};
        const known = told ?? actions.find((one) => one.id === id)?.name ?? id;
        const name = typeof known === 'string' ? known : '';
        const reason = whyNot(about ?? {}, name);
        return {
          isMet: reason === undefined && (action === undefined || action === id),
          because: reason ?? because(name),
        };
      },
  });
}
