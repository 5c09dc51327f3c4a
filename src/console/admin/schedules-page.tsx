import { type ShownSchedule } from '../../automation/schedules/schedule.dto.js';
import { schedules } from '../../automation/schedules/schedules.kind.js';
import { shownSchedules } from '../../automation/schedules/shown-schedules.js';
import { Badge } from '../parts/badge.js';
import { resultNames } from '../parts/run-line.js';
import { Instant } from '../parts/time.js';
import { ofKind, starterPage } from './starter-page.js';

/** The schedules of the workflows that somebody administers. */
export const schedulesPage = starterPage<ShownSchedule>({
  kind: schedules,
  ...ofKind(shownSchedules),
  title: 'Schedules',
  icon: 'clock',
  lead: 'Schedules create tasks or start actions at set times. The definition contains them.',
  empty: ['No schedules', 'Add them in the definition, under schedules: of a workflow.'],
  under: ({ cron, timezone }) => `${cron} ${timezone}`,
  due: (schedule) => schedule.state === 'active' && <>Next: {instantOf(schedule, schedule.next[0])}</>,
  facts: (schedule) => [
    ['When', <code>{schedule.cron}</code>],
    ['Time zone', schedule.timezone],
    ['Last run', schedule.last === null ? 'never' : lastOf(schedule, schedule.last)],
    [
      'Next five times',
      <ol class="plain-list stack gap-1">
        {schedule.next.map((at) => (
          <li>{instantOf(schedule, at)}</li>
        ))}
      </ol>,
    ],
  ],
});

const instantOf = ({ timezone }: ShownSchedule, at: string | undefined) =>
  at !== undefined && <Instant at={new Date(at)} timeZone={timezone} />;

const lastOf = (schedule: ShownSchedule, last: NonNullable<ShownSchedule['last']>) => (
  <>
    {instantOf(schedule, last.at)} <Badge>{resultNames[last.result]}</Badge>
  </>
);
