import { type ComponentChildren, type VNode } from 'preact';
import { type Figure } from '../../automation/figures/figure.js';
import { metrics } from '../../automation/figures/metrics.js';
import { type Message } from '../../common/message.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { figuresPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { Icon } from '../parts/icon.js';
import { refusalOf } from '../parts/notices.js';
import { Table } from '../parts/table.js';
import { Instant, shortDay } from '../parts/time.js';
import { useReader } from '../reader.js';
import { Bands, Bars, type ChartSeries, Dots, MAX_SERIES, Pairs, Patterns, RowBars } from './charts.js';
import { type ShownFigures } from './figures.js';
import {
  lengthInWords,
  type Look,
  personCalled,
  placesOf,
  questions,
  type ShownMetric,
} from './questions.js';

/** Six questions about the tasks of a workflow, or of several, each with its chart, its definition and its table. */
export function FiguresPage({ title, head, form, found, look, csvPath, tasksPath }: FiguresProps): VNode {
  const isRead = !('refusals' in found);
  const tones = isRead && look.isGrouped ? tonesOf(found) : new Map<string, number>();
  return (
    <ConsolePage title={title} notice={refusalOf(isRead ? [] : found.refusals)}>
      {head}
      {form}
      {isRead && (
        <>
          <p class="muted">
            Counted from every change up to <Instant at={new Date(found[0]?.[1].as_of ?? 0)} />; nothing is
            estimated. What each figure counts is written below it.
          </p>
          <Patterns />
          <div class="figures">
            {found.map(([name, figure]) => (
              <Question
                name={name}
                figure={figure}
                look={look}
                tones={tones}
                csv={csvPath?.(name)}
                tasksPath={tasksPath}
              />
            ))}
          </div>
        </>
      )}
    </ConsolePage>
  );
}

interface FiguresProps {
  readonly title: string;
  readonly head: VNode;
  readonly form: ComponentChildren;
  readonly found: ShownFigures | { readonly refusals: readonly Message[] };
  readonly look: Look;
  readonly csvPath?: (name: ShownMetric) => string;
  /** The list of the tasks that also meet this filter. */
  readonly tasksPath?: ((filter: readonly [name: string, value: string]) => string) | undefined;
}

function Question({ name, figure, look, tones, csv, tasksPath }: QuestionProps): VNode {
  const { locale } = useReader();
  const { title, answer } = questions[name];
  const { sentence, chart, labels, series, notes = [], unit = '', tasks } = answer(figure, look);
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const Chart = charts[chart];
  return (
    <section class="figure stack" aria-labelledby={`figure-${name}`}>
      <h2 id={`figure-${name}`}>{title}</h2>
      <p>
        {sentence} {tasks && tasksPath && <a href={tasksPath(tasks.filter)}>{tasks.text}</a>}
      </p>
      {isEmpty ? (
        <p class="muted">There is nothing to show.</p>
      ) : (
        <Chart
          id={name}
          title={title}
          description={sentence}
          labels={labels}
          notes={notes}
          series={tonesOn(series, tones)}
          write={(value) => `${value.toLocaleString(locale)} ${unit}`.trim()}
        />
      )}
      <p class="muted definition">{figure.definition}</p>
      {figure.series.length > 0 && (
        <details>
          <summary>The figures as a table</summary>
          <FigureTable name={name} figure={figure} look={look} hasCsv={csv !== undefined} />
        </details>
      )}
      {csv !== undefined && (
        <a class="button quiet" href={csv} data-turbo="false">
          <Icon name="download" /> CSV<span class="visually-hidden">: {title}</span>
        </a>
      )}
    </section>
  );
}

/** Sorts series by their places among all groups. If two would have the same colour, the second gets a free one. */
function tonesOn(series: readonly ChartSeries[], tones: ReadonlyMap<string, number>): readonly ChartSeries[] {
  if (tones.size === 0) return series;
  const place = ({ name }: ChartSeries): number => tones.get(name) ?? tones.size;
  const used = new Set<number>();
  return series
    .toSorted((one, other) => place(one) - place(other))
    .map((one) => {
      if (one.tone !== undefined) return one;
      let tone = place(one) % MAX_SERIES;
      while (used.has(tone) && used.size < MAX_SERIES) tone = (tone + 1) % MAX_SERIES;
      used.add(tone);
      return { ...one, tone };
    });
}

const charts = { bars: Bars, pairs: Pairs, bands: Bands, dots: Dots, rows: RowBars };

/** The position of each group among all groups on the page, so that it has the same colour in all charts. */
function tonesOf(found: ShownFigures): ReadonlyMap<string, number> {
  const names = found.flatMap(([name, { series }]) => (name === 'age' ? series.map((one) => one.name) : []));
  const more = found.flatMap(([name, { series }]) => (name === 'flow' ? series.map((one) => one.name) : []));
  return new Map([...new Set([...names, ...more].toSorted())].map((name, at) => [name, at]));
}

interface QuestionProps extends Pick<FiguresProps, 'tasksPath'> {
  readonly tones: ReadonlyMap<string, number>;
  readonly name: ShownMetric;
  readonly figure: Figure;
  readonly look: Look;
  readonly csv: string | undefined;
}

/** Figures with one number at each point have a column for each series. Others have a row for each point. */
function FigureTable({
  name,
  figure: { series },
  look,
  hasCsv,
}: Pick<QuestionProps, 'name' | 'figure' | 'look'> & { readonly hasCsv: boolean }): VNode {
  const reader = useReader();
  const { columns } = metrics[name];
  const caption = `${questions[name].title}: table`;
  const at = (place: string): string => {
    if (name === 'workload') return personCalled(place, reader);
    if (place === 'overdue') return 'Overdue';
    return name === 'age' ? place : shortDay(place, reader);
  };
  const cell = (value: string | number | null | undefined, column = ''): string => {
    if (typeof value !== 'number') return value ?? '';
    return column.endsWith('_seconds') ? lengthInWords(value, look) : value.toLocaleString(reader.locale);
  };
  const [lead = '', ...further] = columns.map(headOf);
  if (further.length > 1) {
    const points = series.flatMap((one) => one.points.map((point) => ({ name: one.name, point })));
    const shown = points.slice(0, Math.floor(MAX_CELLS / (columns.length + 1)));
    return (
      <>
        <Table
          caption={caption}
          head={['Series', lead, ...further]}
          numeric={[false, false, ...further.map(() => true)]}
          rows={shown.map(({ name: of, point }) => [
            of,
            at(point[0]),
            ...point.slice(1).map((value, nth) => cell(value, columns[nth + 1])),
          ])}
        />
        <Shortened shown={shown.length} all={points.length} what="lines" hasCsv={hasCsv} />
      </>
    );
  }
  const places = placesOf(series);
  const shown = series.slice(0, Math.max(1, Math.floor(MAX_CELLS / (places.length + 1))));
  const values = shown.map(({ points }) => new Map(points.map(([place, value]) => [place, value])));
  return (
    <>
      <Table
        caption={caption}
        head={[lead, ...shown.map((one) => one.name)]}
        numeric={[false, ...shown.map(() => true)]}
        rows={places.map((place) => [at(place), ...values.map((one) => cell(one.get(place)))])}
      />
      <Shortened shown={shown.length} all={series.length} what="columns" hasCsv={hasCsv} />
    </>
  );
}

/** The head of a column: `p85_seconds` is `85 %`. */
const headOf = (column: string): string =>
  column
    .replace('_seconds', '')
    .replace(/^p(\d+)$/, '$1 %')
    .replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** The most cells of a table, so that a page with many stages, people and weeks stays small. */
const MAX_CELLS = 120;

const Shortened = ({ shown, all, what, hasCsv }: ShortenedProps): VNode | null =>
  shown === all ? null : (
    <p class="muted">
      The first {shown} of {all} {what}; the {hasCsv ? 'figure as CSV has' : 'figures of each workflow have'}{' '}
      all.
    </p>
  );

interface ShortenedProps {
  readonly shown: number;
  readonly all: number;
  readonly what: 'lines' | 'columns';
  readonly hasCsv: boolean;
}

export function AllHead({ workflows }: { readonly workflows: readonly Workflow[] }): VNode {
  return (
    <header class="page-head stack gap-1">
      <div class="page-title line">
        <h1>Figures</h1>
        <nav class="ways" aria-label="Workflows">
          {workflows.map((workflow) => (
            <a href={figuresPath(workflow, new URLSearchParams())}>{workflow.name}</a>
          ))}
        </nav>
      </div>
    </header>
  );
}
