import { type EventSource } from '../../events/event-names.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { whenAssigned } from './reasons/assigned.js';
import { whenMentioned } from './reasons/mentioned.js';
import { type Happened } from './reason.js';

/** The creator, commenters, the assignee, mentioned users and performers watch the task, unless they chose not to. */
export function newWatchers(happened: Happened): readonly string[] {
  const { event, source } = happened;
  const doer = actsThemselves(event, source) ? happened.doer : undefined;
  return [
    ...(doer === undefined ? [] : [doer]),
    ...[whenAssigned, whenMentioned]
      .filter(({ types }) => types.some((type) => type === event.type))
      .flatMap((reason) => reason.whom(happened)),
  ];
}

const own: ReadonlySet<string> = new Set(['task.created', 'comment.created', 'execution.started']);

const actsThemselves = ({ type }: RecordedEvent, { cause }: EventSource): boolean =>
  own.has(type) && cause === undefined;
