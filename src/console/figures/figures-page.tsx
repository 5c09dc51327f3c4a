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
import { Instant } from '../parts/time.js';
import { useReader } from '../reader.js';
import { type ChartSeries, MAX_SERIES, Patterns, Plot, RowBars } from './charts.js';
import { type ShownFigures } from './figures.js';
import { lengthInWords, type Look, placesOf, questions, type ShownMetric, valuesAt } from './questions.js';

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
  const { title, label, answer } = questions[name];
  const { sentence, chart, places, series, notes = [], unit = '', tasks } = answer(figure, look);
  const shown = {
    id: name,
    title,
    description: sentence,
    labels: places.map((place) => label(place, look.reader)),
    notes,
    series: tonesOn(series, tones),
    write: (value: number) => `${value.toLocaleString(locale)} ${unit}`.trim(),
  };
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  return (
    <section class="figure stack" aria-labelledby={`figure-${name}`}>
      <h2 id={`figure-${name}`}>{title}</h2>
      <p>
        {sentence} {tasks && tasksPath && <a href={tasksPath(tasks.filter)}>{tasks.text}</a>}
      </p>
      {isEmpty ? (
        <p class="muted">There is nothing to show.</p>
      ) : chart === 'rows' ? (
        <RowBars {...shown} />
      ) : (
        <Plot kind={chart} {...shown} />
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

/** The position of each group among all groups on the page, so that it has the same colour in all charts. */
function tonesOf(found: ShownFigures): ReadonlyMap<string, number> {
  const all = found.filter(([name]) => name === 'age' || name === 'flow').flatMap(([, { series }]) => series);
  const names = new Set(all.map(({ name }) => name).toSorted());
  return new Map(Array.from(names, (name, at) => [name, at]));
}

interface QuestionProps extends Pick<FiguresProps, 'tasksPath'> {
  readonly tones: ReadonlyMap<string, number>;
  readonly name: ShownMetric;
  readonly figure: Figure;
  readonly look: Look;
  readonly csv: string | undefined;
}

/** Figures with one number at each point have a column for each series. Others have a line for each point. */
function FigureTable({ name, figure: { series }, look, hasCsv }: TableProps): VNode {
  const { title, label } = questions[name];
  const { columns } = metrics[name];
  const [lead = '', ...further] = columns.map(headOf);
  const isOfLines = further.length > 1;
  const cell = (value: string | number | null | undefined, column = ''): string => {
    if (typeof value !== 'number') return value ?? '';
    return column.endsWith('_seconds')
      ? lengthInWords(value, look)
      : value.toLocaleString(look.reader.locale);
  };
  const lines = series.flatMap((one) =>
    one.points.map(([place, ...values]) => {
      const cells = values.map((value, nth) => cell(value, columns[nth + 1]));
      return [one.name, label(place, look.reader), ...cells];
    }),
  );
  const places = placesOf(series);
  const all = isOfLines ? lines.length : series.length;
  const most = Math.floor(MAX_CELLS / (isOfLines ? columns.length + 1 : places.length + 1));
  const shown = Math.min(all, Math.max(1, most));
  const shownSeries = series.slice(0, shown);
  const head = isOfLines ? ['Series', lead, ...further] : [lead, ...shownSeries.map((one) => one.name)];
  return (
    <>
      <Table
        caption={`${title}: table`}
        head={head}
        numeric={head.map((_, at) => at > (isOfLines ? 1 : 0))}
        rows={
          isOfLines
            ? lines.slice(0, shown)
            : places.map((place) => {
                const cells = shownSeries.map((one) => cell(valuesAt(one, [place])[0]));
                return [label(place, look.reader), ...cells];
              })
        }
      />
      {shown < all && (
        <p class="muted">
          The first {shown} of {all} {isOfLines ? 'lines' : 'columns'}; the{' '}
          {hasCsv ? 'figure as CSV has' : 'figures of each workflow have'} all.
        </p>
      )}
    </>
  );
}

interface TableProps extends Pick<QuestionProps, 'name' | 'figure' | 'look'> {
  readonly hasCsv: boolean;
}

/** The head of a column: `p85_seconds` is `85 %`. */
const headOf = (column: string): string =>
  column
    .replace('_seconds', '')
    .replace(/^p(\d+)$/, '$1 %')
    .replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** The most cells of a table, so that a page with many stages, people and weeks stays small. */
const MAX_CELLS = 120;

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
