import { type VNode } from 'preact';
import { type ShownClock } from '../../clocks/clock.dto.js';
import { type ClockState } from '../../calendars/clock.js';
import { type Stretch } from '../../http/paged-list.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { Badge, type Tone } from '../parts/badge.js';
import { DueInstant, OverdueBadge } from '../parts/due.js';
import { RunLine } from '../parts/run-line.js';
import { Sayings, said } from '../parts/sayings.js';
import { Table } from '../parts/table.js';
import { lengthIn } from '../parts/time.js';
import { type SignedIn } from '../reader.js';
import { Older } from './activity-part.js';
import { adminPathOf } from './failure-part.js';
import { type HistoryView, type TaskPageView } from './task-view.js';

/** What happens to the task by itself: its deadlines, and what they, rules, schedules and timers started. */
export function Why({ view }: { readonly view: TaskPageView }): VNode | null {
  const { to, clocks, runs } = view;
  if (clocks.length === 0 && runs.shown.length === 0) return null;
  const words = to.words.time;
  return (
    <section aria-labelledby="why">
      <details class="history">
        <summary>
          <h2 id="why">{words.why}</h2>
        </summary>
        <p class="muted">{words.whyLead}</p>
        {clocks.length > 0 && <Clocks to={to} clocks={clocks} />}
        <h3>{words.runs}</h3>
        {runs.shown.length === 0 ? <p class="muted">{words.noRuns}</p> : <SomeRuns view={view} runs={runs} />}
      </details>
    </section>
  );
}

/** Some runs, and behind them the way to those that are older. */
export function SomeRuns({ view, runs: { shown, next } }: RunsProps): VNode {
  const { to, path } = view;
  return (
    <>
      <ol class="stack gap-3">
        {shown.map((run) => (
          <li>
            <RunLine
              to={to}
              run={run}
              execution={run.execution === null ? undefined : adminPathOf(view, run.execution)}
            />
          </li>
        ))}
      </ol>
      <Older at={`${path}/runs?before=`} next={next} label={to.words.time.olderRuns} />
    </>
  );
}

interface RunsProps {
  readonly view: HistoryView;
  readonly runs: Stretch<ShownRun>;
}

function Clocks({ to, clocks }: { readonly to: SignedIn; readonly clocks: readonly ShownClock[] }): VNode {
  const words = to.words.time;
  return (
    <>
      <h3>{words.clocks}</h3>
      <Table
        caption={words.clocks}
        head={[words.clock, words.state, words.due, words.consumed, words.paused]}
        rows={clocks.map((clock) => cellsOf(to, clock))}
      />
    </>
  );
}

const tones: Readonly<Record<ClockState, Tone>> = {
  running: 'accent',
  paused: 'waiting',
  met: 'good',
  breached: 'bad',
  cancelled: 'plain',
};

function cellsOf(to: SignedIn, { id, state, overdue, due_at, consumed, paused, why }: ShownClock): VNode[] {
  const words = to.words.time;
  return [
    <>
      <strong>{id}</strong>
      <p class="muted small">
        <Sayings all={[said(why)]} />
      </p>
    </>,
    overdue ? <OverdueBadge to={to} /> : <Badge tone={tones[state]}>{words.states[state]}</Badge>,
    due_at === null ? <span>–</span> : <DueInstant at={new Date(due_at)} to={to} />,
    <span>{consumed === null ? '–' : lengthIn(to, consumed)}</span>,
    <span>
      {paused.length === 0
        ? '–'
        : paused.map((pause) => words.pausedFor(pause.stage, lengthIn(to, pause.for))).join(', ')}
    </span>,
  ];
}
