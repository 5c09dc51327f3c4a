import { type VNode } from 'preact';
import { runResults } from '../../entities/column-values.js';
import { type Stretch } from '../../http/paged-list.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { Choice } from '../parts/control.js';
import { Empty } from '../parts/empty.js';
import { RunLine } from '../parts/run-line.js';
import { MorePages, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { type AskedRuns } from './administered.js';
import { executionPath } from './executions-page.js';

/** The runs of a rule or a schedule, all or those of one result. */
export function RunsPart({ to, path, runs, asked }: RunsPartProps): VNode {
  const { time, admin } = to.words;
  const { result, after } = asked;
  return (
    <Section id="runs" title={time.runs}>
      <search class="filters">
        <form action={path}>
          <label>
            <span>{time.admin.result}</span>
            <Choice
              name="result"
              options={runResults.map((one) => [one, time.results[one]])}
              chosen={result ?? ''}
              none={admin.any}
            />
          </label>
          <button type="submit">{admin.filter}</button>
          {result !== undefined && <a href={path}>{admin.clear}</a>}
        </form>
      </search>
      {runs.shown.length === 0 ? (
        <Empty icon="history" title={result === undefined ? time.admin.noRuns : time.admin.noSuchRuns} />
      ) : (
        <ol class="runs">
          {runs.shown.map((run) => (
            <li>
              <RunLine
                to={to}
                run={run}
                execution={run.execution === null ? undefined : executionPath({ id: run.execution })}
              >
                {run.task && <a href={run.task.url}>{run.task.unique_id ?? time.admin.task}</a>}
              </RunLine>
            </li>
          ))}
        </ol>
      )}
      <MorePages to={to} path={path} query={{ result }} next={runs.next} isFirst={after === undefined} />
    </Section>
  );
}

interface RunsPartProps {
  readonly to: Administrator;
  /** Of the page. */
  readonly path: string;
  readonly runs: Stretch<ShownRun>;
  readonly asked: AskedRuns;
}
