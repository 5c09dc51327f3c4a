import { type RecordedEvent } from '../../../events/events.repository.js';
import { type ReasonType } from '../reason.js';

export const whenAskedToApprove: ReasonType = {
  types: ['approval.requested'],
  whom: ({ event }) => whoMayDecide(event.about),
};

function whoMayDecide(about: RecordedEvent['about']): readonly string[] {
  const open = about?.['open'];
  return Array.isArray(open) ? open.filter((user) => typeof user === 'string') : [];
}
