import Type from 'typebox';
import { type EventType } from '../../common/column-values.js';
import { type Message, say } from '../../common/message.js';
import { refers } from '../../workflows/model/marks.js';
import { triggerType, type TriggerType } from './trigger.js';

type About = Readonly<Record<string, unknown>>;

/** A trigger for events of an action's approvals. */
interface ApprovalTrigger {
  readonly title: string;
  readonly description: string;
  readonly type: EventType;
  /** Whether an event of the type counts. */
  readonly isMeant: (about: About) => boolean;
  /** The reasons for events that count, and for those that do not. */
  readonly because: (action: string) => Message;
  readonly otherwise: Message;
}

/** Makes a trigger for approvals of one action, or of any. */
export function approvalTrigger(trigger: ApprovalTrigger): TriggerType {
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
