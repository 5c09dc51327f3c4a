import { type VNode } from 'preact';
import { type Stretch } from '../../http/paged-list.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { type ShownSchedule } from '../../schedules/schedule.dto.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Badge } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { ButtonForm } from '../parts/form.js';
import { type Notice } from '../parts/notices.js';
import { Instant } from '../parts/time.js';
import { AdminListPage, DetailPage, Facts, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { type AskedRuns, type PlacedThing } from './administered.js';
import { PauseButton, StateBadge } from './rules-page.js';
import { RunsPart } from './runs-part.js';

export const SCHEDULES_PATH = '/admin/schedules';

/** The page of a schedule. */
export const schedulePath = ({ slug }: Pick<Workflow, 'slug'>, id: string): string =>
  `${SCHEDULES_PATH}/${encodeURIComponent(slug)}/${encodeURIComponent(id)}`;

/** The schedules of all workflows that somebody administers. */
export function SchedulesPage({ to, schedules }: SchedulesProps): VNode {
  const words = to.words.time.admin;
  return (
    <AdminListPage
      to={to}
      title={words.schedules}
      lead={words.schedulesLead}
      count={schedules.length}
      things={schedules}
      row={(schedule) => <ScheduleRow to={to} schedule={schedule} />}
      empty={
        <Empty icon="clock" title={words.noSchedules}>
          {words.noSchedulesMore}
        </Empty>
      }
    />
  );
}

interface SchedulesProps {
  readonly to: Administrator;
  readonly schedules: readonly PlacedThing<ShownSchedule>[];
}

function ScheduleRow({ to, schedule: { workflow, thing } }: ScheduleRowProps): VNode {
  const words = to.words.time.admin;
  const { id, cron, timezone, state, next } = thing;
  const [first] = state === 'active' ? next : [];
  return (
    <a class="row webhook-row" href={schedulePath(workflow, id)}>
      <StateBadge to={to} state={state} />
      <span class="execution-what">
        <span class="row-title">{id}</span>
        <span class="muted webhook-url">{`${workflow.name} · ${cron} ${timezone}`}</span>
      </span>
      <span class="row-due">
        {first !== undefined && (
          <>
            {words.next}: <Instant at={new Date(first)} to={to} timeZone={to.timeZone} />
          </>
        )}
      </span>
    </a>
  );
}

interface ScheduleRowProps {
  readonly to: Administrator;
  readonly schedule: PlacedThing<ShownSchedule>;
}

/** A schedule: when it fires next, its runs, and buttons that run it now, pause it or let it run again. */
export function SchedulePage({ to, workflow, schedule, runs, asked, notice }: ScheduleProps): VNode {
  const { admin: words, results } = to.words.time;
  const { id, cron, timezone, state, next, last } = schedule;
  const path = schedulePath(workflow, id);
  const lastRun =
    last === null ? (
      words.never
    ) : (
      <>
        <Instant at={new Date(last.at)} to={to} timeZone={timezone} /> <Badge>{results[last.result]}</Badge>
      </>
    );
  return (
    <DetailPage
      to={to}
      title={id}
      above={{ href: SCHEDULES_PATH, name: words.schedules }}
      badge={<StateBadge to={to} state={state} />}
      lead={state === 'paused' ? words.schedulePausedWhy : undefined}
      notice={notice}
    >
      <Facts
        rows={[
          [words.workflow, workflow.name],
          [words.cron, <code>{cron}</code>],
          [words.timezone, timezone],
          [words.lastRun, lastRun],
        ]}
      />
      <div class="actions">
        <ButtonForm action={`${path}/run`}>{words.runNow}</ButtonForm>
        <PauseButton to={to} path={path} state={state} />
      </div>
      <Section id="next" title={words.nextFive}>
        <ol class="plain-list">
          {next.map((at) => (
            <li>
              <Instant at={new Date(at)} to={to} timeZone={timezone} />
            </li>
          ))}
        </ol>
      </Section>
      <RunsPart to={to} path={path} runs={runs} asked={asked} />
    </DetailPage>
  );
}

interface ScheduleProps {
  readonly to: Administrator;
  readonly workflow: Workflow;
  readonly schedule: ShownSchedule;
  readonly runs: Stretch<ShownRun>;
  readonly asked: AskedRuns;
  readonly notice: Notice | undefined;
}
