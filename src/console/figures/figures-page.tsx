import { type ComponentChildren, type VNode } from 'preact';
import { type Figure } from '../../automation/figures/figure.dto.js';
import { type Message } from '../../common/message.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { figuresPath } from '../board/addresses.js';
import { FilterBar } from '../board/filter-bar.js';
import { WorkflowHead } from '../board/workflow-head.js';
import { ConsolePage } from '../layout.js';
import { Icon } from '../parts/icon.js';
import { refusalOf } from '../parts/notices.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { Section } from '../parts/section.js';
import { useReader } from '../reader.js';
import { Chart, Patterns } from './charts.js';
import { FiguresForm } from './figures-form.js';
import { answerTo, lengthInWords, type Look, metricOf, questions, type ShownMetric } from './questions.js';

/** Shows six questions about the tasks of a workflow, each with its chart, definition and table. */
export function FiguresPage({ scope, query, found, refusals, look }: FiguresProps): VNode {
  const { workflow } = scope;
  const csvPath = (name: ShownMetric): string =>
    `${figuresPath(workflow, new URLSearchParams())}/csv?${new URLSearchParams([['_metric', name], ...query]).toString()}`;
  return (
    <ConsolePage title={`Figures: ${workflow.name}`} notice={refusalOf(refusals)}>
      <WorkflowHead scope={scope} filters={query} at="figures" total={undefined} />
      <FilterBar workflow={workflow} filters={query} at="figures" />
      <FiguresForm workflow={workflow} query={query} />
      <Counted found={found}>What each figure counts is written below it.</Counted>
      <Patterns />
      <div class="figures">
        {found.map(([name, figure]) => (
          <Question name={name} figure={figure} look={look} csv={csvPath(name)} />
        ))}
      </div>
    </ConsolePage>
  );
}

/** Shows the answers to the six questions for several workflows, without charts. */
export function AllFiguresPage({ all }: { readonly all: readonly FiguresOfWorkflow[] }): VNode {
  return (
    <ConsolePage title="Figures">
      <h1>Figures</h1>
      <Counted found={all[0]?.found ?? []}>
        The page of each workflow has charts, and says what each figure counts.
      </Counted>
      <div class="figures">
        {all.map(({ workflow, found, look }) => (
          <section class="figure stack">
            <h2>
              <a href={figuresPath(workflow, new URLSearchParams())}>{workflow.name}</a>
            </h2>
            <dl class="facts stack">
              {found.map(([name, figure]) => (
                <div>
                  <dt>{questions[name].title}</dt>
                  <dd>{answerTo(name, figure.series, look).sentence}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </ConsolePage>
  );
}

export interface FiguresOfWorkflow {
  readonly workflow: Workflow;
  readonly found: readonly (readonly [name: ShownMetric, figure: Figure])[];
  readonly look: Look;
}

interface FiguresProps extends Pick<FiguresOfWorkflow, 'found' | 'look'> {
  readonly scope: Scope;
  readonly query: URLSearchParams;
  readonly refusals: readonly Message[];
}

function Counted({ found: [first], children }: CountedProps): VNode | null {
  if (!first) return null;
  return (
    <p class="muted">
      Counted from every change up to <Instant at={new Date(first[1].as_of)} />; nothing is estimated.{' '}
      {children}
    </p>
  );
}

interface CountedProps extends Pick<FiguresOfWorkflow, 'found'> {
  readonly children: ComponentChildren;
}

function Question({ name, figure, look, csv }: QuestionProps): VNode {
  const { locale } = useReader();
  const { title, label } = questions[name];
  const { sentence, places, series, unit = '', kind } = answerTo(name, figure.series, look);
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  return (
    <Section class="figure" id={`figure-${name}`} title={title}>
      <p>{sentence}</p>
      {isEmpty ? (
        <p class="muted">There is nothing to show.</p>
      ) : (
        <Chart
          id={name}
          title={title}
          description={sentence}
          kind={kind}
          labels={places.map((place) => label(place, look.reader))}
          series={series}
          write={(value) => `${value.toLocaleString(locale)} ${unit}`.trim()}
        />
      )}
      <p class="muted definition">{figure.definition}</p>
      <details>
        <summary>The figures as a table</summary>
        <FigureTable name={name} figure={figure} look={look} />
      </details>
      <a class="button quiet" href={csv} data-turbo="false">
        <Icon name="download" /> CSV<span class="visually-hidden">: {title}</span>
      </a>
    </Section>
  );
}

interface QuestionProps extends TableProps {
  readonly csv: string;
}

/** Shows a figure as a table. Each row is a point, as in the CSV file. */
function FigureTable({ name, figure: { series }, look }: TableProps): VNode {
  const { title, label } = questions[name];
  const { columns } = metricOf(name);
  const cell = (value: string | number | null, column = ''): string => {
    if (typeof value !== 'number') return value ?? '';
    return column.endsWith('_seconds')
      ? lengthInWords(value, look)
      : value.toLocaleString(look.reader.locale);
  };
  const lines = series.flatMap((one) =>
    one.points.map(([place, ...values]): ComponentChildren[] => [
      one.name,
      label(place, look.reader),
      ...values.map((value, nth) => cell(value, columns[nth + 1])),
    ]),
  );
  return (
    <>
      <Table
        caption={`${title}: table`}
        head={['series', ...columns].map(headOf)}
        numeric={['', ...columns].map((_, at) => at > 1)}
        rows={lines.slice(0, MAX_LINES)}
      />
      {lines.length > MAX_LINES && (
        <p class="muted">
          The first {MAX_LINES} of {lines.length} lines. The CSV file has all lines.
        </p>
      )}
    </>
  );
}

interface TableProps {
  readonly name: ShownMetric;
  readonly figure: Figure;
  readonly look: Look;
}

/** Returns the head of a column: `85 %` for `p85_seconds`. */
const headOf = (column: string): string =>
  column
    .replace(/^p(\d+)_seconds$/, '$1 %')
    .replace('_seconds', '')
    .replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** A table has at most this many rows, so that a page with many stages, people and weeks stays small. */
const MAX_LINES = 60;
