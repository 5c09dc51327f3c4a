import Type from 'typebox';
import { type Message, say } from '../../../common/message.js';
import { refers } from '../../../workflows/model/marks.js';
import { triggerType, type TriggerType } from '../trigger.js';

export const approvalComplete = approvalTrigger({
  title: 'The approvals of an action are complete',
  description:
    'Every needed group has all its approvals; `when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].',
  type: 'approval.complete',
  isMeant: (about) => about['is_last'] === true,
  because: (action) => say`${action} has all its approvals`,
  otherwise: 'other groups are not complete',
});

export const approvalRejected = approvalTrigger({
  title: 'An approval is rejected',
  description:
    'Somebody who may approve an action has rejected it; `when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].',
  type: 'approval.decided',
  isMeant: (about) => about['decision'] === 'reject',
  because: (action) => say`${action} was rejected`,
  otherwise: 'the decision is not a rejection',
});

export const approvalStale = approvalTrigger({
  title: 'An approval no longer counts',
  description:
    'The values that somebody decided on have changed, or an approval has expired; `when` and `fields` may read approval["action"], approval["id"], approval["by"], approval["for"], approval["comment"].',
  type: 'approval.stale',
  isMeant: () => true,
  because: (action) => say`an approval of ${action} is stale`,
  otherwise: 'an approval is stale',
});

type About = Readonly<Record<string, unknown>>;

interface ApprovalTrigger {
  readonly title: string;
  readonly description: string;
  readonly type: string;
  /** Whether an event of the type counts. */
  readonly isMeant: (about: About) => boolean;
  /** The reason for an event that counts, and for one that does not. */
  readonly because: (action: string) => Message;
  readonly otherwise: Message;
}

function approvalTrigger(trigger: ApprovalTrigger): TriggerType {
  const { title, description, type, isMeant, because, otherwise } = trigger;
  const settings = Type.Object(
    {
      action: Type.Optional(
        Type.String({
          ...refers('action'),
          title: 'Action',
          description: 'The id of an action with approvals. Default: any.',
        }),
      ),
    },
    { title, description, examples: [{ action: 'close' }] },
  );
  return triggerType(settings, {
    types: [type],
    reads: 'approval',
    check(rule, { workflow: { actions } }, report) {
      const action = actions.find(({ id }) => id === rule.action);
      if (action && !('approvals' in action.requirements))
        report(rule, 'action', `needs no approvals: ${action.id}`);
    },
    compile:
      ({ action }, { actions }) =>
      ({ event: { about } }) => {
        const id = typeof about?.['action'] === 'string' ? about['action'] : '';
        const name = actions.find((each) => each.id === id)?.name ?? id;
        if (!about || !isMeant(about)) return { isMet: false, because: otherwise };
        if (about['is_repeated'] === true)
          return { isMet: false, because: say`${name} was the same before, and the task has not changed` };
        return { isMet: action === undefined || action === id, because: because(name) };
      },
  });
}
