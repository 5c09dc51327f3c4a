import { type VNode } from 'preact';
import { todayIn } from '../../lib/calendar.js';
import { type SignedIn } from '../reader.js';
import { Badge } from './badge.js';
import { Icon } from './icon.js';

/** That a deadline has passed. */
export function OverdueBadge({ to }: { readonly to: Pick<SignedIn, 'words'> }): VNode {
  return (
    <Badge tone="bad">
      <Icon name="warning" /> {to.words.time.overdue}
    </Badge>
  );
}

/** What of a deadline is pressing: that it has passed, or is today. */
export function DueBadge({ at, to }: DueBadgeProps): VNode | null {
  const { now } = to;
  if (at <= now) return <OverdueBadge to={to} />;
  if (todayIn(to.timeZone, at) !== todayIn(to.timeZone, now)) return null;
  return (
    <Badge tone="waiting">
      <Icon name="clock" /> {to.words.time.dueToday}
    </Badge>
  );
}

interface DueBadgeProps {
  /** The end of the first of a task's clocks. */
  readonly at: Date;
  readonly to: Pick<SignedIn, 'words' | 'timeZone' | 'now'>;
}
