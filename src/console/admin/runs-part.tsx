import { en } from './words.js';
import { type VNode } from 'preact';
import { runResults } from '../../database/column-values.js';
import { type Stretch } from '../../http/paged-list.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunLine } from '../parts/run-line.js';
import { FilterChoice, ListFilter, MorePages, Nothing } from './admin-list.js';
import { Section } from './admin-page.js';
import { type AskedRuns } from './administered.js';
import { executionPath } from './executions-page.js';

/** The runs of a rule or a schedule, all or those of one result. */
export function RunsPart({ path, runs, asked }: RunsPartProps): VNode {
  const { results, runs: title, admin: words } = en.time;
  const { result, after } = asked;
  const isFiltered = result !== undefined;
  return (
    <Section id="runs" title={title}>
      <ListFilter path={path} isFiltered={isFiltered}>
        <FilterChoice
          label={words.result}
          name="result"
          options={runResults.map((one) => [one, results[one]])}
          chosen={result}
        />
      </ListFilter>
      {runs.shown.length === 0 ? (
        <Nothing there={['history', isFiltered ? words.noSuchRuns : words.noRuns]} />
      ) : (
        <ol class="runs stack gap-3">
          {runs.shown.map((run) => (
            <li>
              <RunLine
                run={run}
                execution={run.execution === null ? undefined : executionPath({ id: run.execution })}
              >
                {run.task && <a href={run.task.url}>{run.task.unique_id ?? words.task}</a>}
              </RunLine>
            </li>
          ))}
        </ol>
      )}
      <MorePages path={path} query={{ result }} next={runs.next} isFirst={after === undefined} />
    </Section>
  );
}

interface RunsPartProps {
  /** Of the page. */
  readonly path: string;
  readonly runs: Stretch<ShownRun>;
  readonly asked: AskedRuns;
}
