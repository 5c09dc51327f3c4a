import { type Series } from '../../automation/figures/figure.dto.js';
import { type Metric } from '../../automation/figures/figure-query.js';
import { metrics } from '../../automation/figures/metrics.js';
import { openFlow } from '../../automation/figures/metrics/moves.js';
import { shortDay } from '../parts/time.js';
import { nameOfEmail, type SignedIn } from '../reader.js';
import { type ChartProps, type ChartSeries, mostSeries } from './charts.js';

export interface Look {
  readonly reader: SignedIn;
  readonly isGrouped: boolean;
  readonly measure: 'elapsed' | 'working';
  readonly hasDeadlines: boolean;
}

export const shownMetrics = ['clocks', 'age', 'flow', 'throughput', 'cycle_time', 'workload'] as const;
export type ShownMetric = (typeof shownMetrics)[number];

/** Returns a metric for the pages. On the pages, `flow` leaves out end stages: it shows how much is open. */
export const metricOf = (name: ShownMetric): Metric => (name === 'flow' ? openFlow : metrics[name]);

interface Question {
  readonly title: string;
  /** Formats a place for the reader. A place is a day, a stage, an e-mail address, `overdue` or `Nobody`. */
  readonly label: (place: string, reader: SignedIn) => string;
  readonly chart: ChartProps['kind'];
  readonly sentence: (numbers: Numbers, look: Look) => string;
  readonly draw: (numbers: Numbers) => ChartSeries[];
  /** Draws the figure if it is grouped. If absent, `ofGroups` draws column 1 of each group. */
  readonly drawGroups?: (numbers: Numbers) => ChartSeries[];
}

export const questions: Readonly<Record<ShownMetric, Question>> = {
  clocks: {
    title: 'What is late, or about to be',
    label: (place, reader) => (place === 'overdue' ? 'Overdue' : shortDay(place, reader)),
    chart: 'bars',
    sentence({ sums }, { hasDeadlines }) {
      const [overdue = 0, ...due] = sums(1);
      if (!hasDeadlines) return 'This workflow has no deadlines.';
      return `${plain(overdue)} overdue; ${plain(total(due.slice(0, 7)))} more due within 7 days.`;
    },
    draw({ sums }) {
      const [overdue = 0, ...due] = sums(1);
      return [
        { name: 'Overdue', values: [overdue], tone: 'bad' },
        { name: 'Due on a day', values: [null, ...due] },
      ];
    },
  },
  age: {
    title: 'Where work piles up, and how long it has been there',
    label: (stage) => stage,
    chart: 'rows',
    sentence({ places, sums }) {
      const counts = sums(1);
      const most = Math.max(0, ...counts);
      if (most === 0) return 'No task is open.';
      return `${places[counts.indexOf(most)] ?? ''} has the most open tasks: ${plain(most)} of ${plain(total(counts))}. Longer than usual in their stage: ${plain(total(sums(2)))}.`;
    },
    draw: (numbers) => partsOf(numbers, 'Within the usual time', 'Longer than usual'),
  },
  flow: {
    title: 'How much is open',
    label: shortDay,
    chart: 'bars',
    sentence({ series, sums }) {
      const counts = sums(1);
      const now = `${plain(counts.at(-1) ?? 0)} open; ${plain(counts[0] ?? 0)} at the beginning of the period.`;
      const growths = series.map(({ points }) => numberAt(points.at(-1), 1) - numberAt(points[0], 1));
      const most = Math.max(0, ...growths);
      const name = series[growths.indexOf(most)]?.name ?? '';
      return most > 0 ? `${now} ${name} grew most, by ${plain(most)}.` : now;
    },
    draw: ofGroups,
  },
  throughput: {
    title: 'What comes in and goes out',
    label: shortDay,
    chart: 'pairs',
    sentence({ series, places }, { isGrouped }) {
      const [came, went, again] = ['In', 'Out', 'Reopened'].map((kind) =>
        plain(total(numbersOf(ofKind(series, kind), places).sums(1))),
      );
      const note = isGrouped ? ' The chart shows what went out.' : '';
      return `${came} came in, ${went} went out, and ${again} reopened in this period.${note}`;
    },
    draw: ofGroups,
    drawGroups: ({ series, places }) => ofGroups(numbersOf(ofKind(series, 'Out'), places)),
  },
  cycle_time: {
    title: 'How long tasks take',
    label: shortDay,
    chart: 'dots',
    sentence({ series }, look) {
      if (look.isGrouped)
        return 'Each mark is for one group and one week: 85 % of the finished tasks took at most this time.';
      const last = series[0]?.points.at(-1);
      if (!last) return 'No task was finished in this period.';
      const [half, most] = [1, 2].map((column) => lengthInWords(numberAt(last, column), look));
      return `Of the ${plain(numberAt(last, 4))} that were finished in the week from ${shortDay(last[0], look.reader)}, half took up to ${half}, and 85 % up to ${most}.`;
    },
    draw: ({ series, valuesOf }) =>
      series.flatMap((one) =>
        ['half', '85 %', '95 %'].map((name, at) => ({ name, values: valuesOf(one, at + 1) })),
      ),
    drawGroups: ({ series, places, valuesOf }) =>
      series.slice(0, mostSeries(places)).map((one) => ({ name: one.name, values: valuesOf(one, 2) })),
  },
  workload: {
    title: 'Who has how much',
    label: (email, reader) => nameOfEmail(reader, email),
    chart: 'rows',
    sentence({ places, sums }, { reader }) {
      // `Nobody` may have the most tasks, but is not a person.
      const counts = sums(1).map((count, at) => (places[at] === 'Nobody' ? 0 : count));
      const most = Math.max(0, ...counts);
      if (most === 0) return 'No open task is assigned.';
      return `${nameOfEmail(reader, places[counts.indexOf(most)] ?? '')} has most: ${plain(most)}.`;
    },
    draw: (numbers) => partsOf(numbers, 'Not overdue', 'Overdue'),
  },
};

interface Answer extends Pick<ChartProps, 'kind' | 'series'> {
  readonly sentence: string;
  readonly places: readonly string[];
  /** The unit of the numbers; absent if the numbers count tasks. */
  readonly unit?: string;
}

export function answerTo(name: ShownMetric, series: readonly Series[], look: Look): Answer {
  const { chart, sentence, draw, drawGroups = ofGroups } = questions[name];
  const places = [...new Set(series.flatMap(({ points }) => points.map(([place]) => place)))];
  const numbers = numbersOf(series, chart === 'dots' ? places.toSorted() : places);
  const shown = chart === 'rows' ? numbersOf(series, places.slice(0, MAX_ROWS)) : numbers;
  const drawn = look.isGrouped ? drawGroups(shown) : draw(shown);
  return {
    sentence: sentence(numbers, look),
    places: shown.places,
    kind: chart === 'pairs' && look.isGrouped ? 'bars' : chart,
    ...(chart === 'dots' ? inUnit(drawn, look) : { series: drawn }),
  };
}

const MAX_ROWS = 20;

/** The series of a figure, and the places of their points (see `label`). */
interface Numbers {
  readonly series: readonly Series[];
  readonly places: readonly string[];
  /** Returns the numbers in a column of a series, one for each place; null for a place without a number. */
  readonly valuesOf: (one: Series, column: number) => (number | null)[];
  /** Returns the sums of a column over all series, one for each place. */
  readonly sums: (column: number) => number[];
}

function numbersOf(series: readonly Series[], places: readonly string[]): Numbers {
  const valuesOf: Numbers['valuesOf'] = ({ points }, column) => {
    const values = new Map(points.map((point) => [point[0], point[column]]));
    return places.map((place) => {
      const value = values.get(place);
      return typeof value === 'number' ? value : null;
    });
  };
  const sums = (column: number): number[] => {
    const values = series.map((one) => valuesOf(one, column));
    return places.map((_, at) => total(values.map((one) => one[at] ?? 0)));
  };
  return { series, places, valuesOf, sums };
}

const ofKind = (series: readonly Series[], kind: string): Series[] =>
  series.filter(({ name }) => name.split(': ').at(-1) === kind);

/**
 * Splits the counts of column 1 into two series. The series `part` has the counts of column 2, and the series
 * `others` has the rest.
 */
function partsOf({ sums }: Numbers, others: string, part: string): ChartSeries[] {
  const parts = sums(2);
  return [
    { name: others, values: sums(1).map((count, at) => count - (parts[at] ?? 0)) },
    { name: part, values: parts, tone: 'bad' },
  ];
}

/** Returns a series for each group. If there are too many groups, adds up the smaller ones as `Others`. */
function ofGroups({ series, places, valuesOf }: Numbers): ChartSeries[] {
  const most = mostSeries(places);
  const size = (one: Series): number => total(valuesOf(one, 1).map(Number));
  const sorted = series.toSorted((one, other) => size(other) - size(one));
  const largest = new Set(series.length > most ? sorted.slice(0, most - 1) : series);
  const others = numbersOf(sorted.slice(largest.size), places).sums(1);
  const groups = series.filter((one) => largest.has(one));
  return [
    ...groups.map((one) => ({ name: one.name.replace(/: Out$/, ''), values: valuesOf(one, 1) })),
    ...(largest.size < series.length ? [{ name: 'Others', values: others, tone: 'others' as const }] : []),
  ];
}

const DAY = 86_400;

/** Converts seconds to days or hours. */
function inUnit(series: readonly ChartSeries[], { measure }: Look): Pick<Answer, 'series' | 'unit'> {
  const longest = Math.max(0, ...series.flatMap(({ values }) => values.map(Number)));
  const [size, unit] = measure === 'elapsed' && longest >= 2 * DAY ? [DAY, 'd'] : [3600, 'h'];
  const scaled = series.map((one) => ({ ...one, values: one.values.map((value) => value && value / size) }));
  return { series: scaled, unit };
}

/** Formats seconds, such as `3 d 4 h`. Working time has no days, because working days vary in length. */
export function lengthInWords(seconds: number, { measure }: Pick<Look, 'measure'>): string {
  const hours = Math.floor(seconds / 3600);
  if (measure === 'elapsed' && hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return hours > 0 ? `${hours} h` : `${Math.round(seconds / 60)} min`;
}

const plain = (value: number): string => value.toLocaleString('en');
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const numberAt = (point: Series['points'][number] | undefined, column: number): number =>
  Number(point?.[column] ?? 0);
