import { type Point, type Series } from '../../automation/figures/figure.js';
import { shortDay } from '../parts/time.js';
import { nameOfEmail, type SignedIn } from '../reader.js';
import { type ChartSeries, mostSeries } from './charts.js';

export interface Look {
  readonly reader: SignedIn;
  readonly isGrouped: boolean;
  readonly measure: 'elapsed' | 'working';
  /** The names of the end stages. */
  readonly ends: ReadonlySet<string>;
}

interface Answer {
  readonly sentence: string;
  readonly chart: 'bars' | 'pairs' | 'dots' | 'rows';
  readonly places: readonly string[];
  readonly series: readonly ChartSeries[];
  /** The unit of the numbers, if they are not numbers of tasks. */
  readonly unit?: string;
}

export const shownMetrics = ['clocks', 'age', 'flow', 'throughput', 'cycle_time', 'workload'] as const;
export type ShownMetric = (typeof shownMetrics)[number];

interface Question {
  readonly title: string;
  /** What a reader sees of a place, which is a day, a stage or an e-mail. */
  readonly label: (place: string, reader: SignedIn) => string;
  readonly answer: (series: readonly Series[], look: Look) => Answer;
}

export const questions: Readonly<Record<ShownMetric, Question>> = {
  clocks: {
    title: 'What is late, or about to be',
    label: (place, reader) => (place === 'overdue' ? 'Overdue' : shortDay(place, reader)),
    answer: late,
  },
  age: {
    title: 'Where work piles up, and how long it has been there',
    label: (stage) => stage,
    answer: ages,
  },
  flow: { title: 'How much is open', label: shortDay, answer: flow },
  throughput: { title: 'What comes in and goes out', label: shortDay, answer: throughput },
  cycle_time: { title: 'How long tasks take', label: shortDay, answer: cycleTimes },
  workload: {
    title: 'Who has how much',
    label: (email, reader) => nameOfEmail(reader, email),
    answer: workload,
  },
};

function late(series: readonly Series[], { isGrouped }: Look): Answer {
  const places = placesOf(series);
  const [overdue = 0, ...due] = sums(series, places);
  const plainSeries: ChartSeries[] = [
    { name: 'Overdue', values: [overdue], tone: 'bad' },
    { name: 'Due on a day', values: [null, ...due] },
  ];
  return {
    sentence: `${plain(overdue)} overdue; ${plain(sumOf(due.slice(0, 7)))} more due within 7 days.`,
    chart: 'bars',
    places,
    series: isGrouped ? groups(series, places) : plainSeries,
  };
}

function ages(series: readonly Series[], look: Look): Answer {
  const stages = placesOf(series);
  const most = largest(series, stages);
  const older = sumOf(sums(series, stages, 2));
  return {
    ...rows(series, look, ['Within the usual time', 'Longer than usual']),
    sentence:
      most.count === 0
        ? 'No task is open.'
        : `Most stand in ${most.place}: ${plain(most.count)} of ${plain(sumOf(sums(series, stages)))} open tasks. Longer in their stage than 85 % of stays: ${plain(older)}.`,
  };
}

function flow(series: readonly Series[], { ends }: Look): Answer {
  const open = series.filter(({ name }) => !ends.has(name));
  const places = placesOf(open);
  const counts = sums(open, places);
  const now = `${plain(counts.at(-1) ?? 0)} open; ${plain(counts[0] ?? 0)} at the beginning of the period.`;
  const growth = ({ points }: Series): number => numberAt(points.at(-1), 1) - numberAt(points[0], 1);
  const [most] = open.toSorted((one, other) => growth(other) - growth(one));
  const grown = most && growth(most) > 0 ? ` ${most.name} grew most, by ${plain(growth(most))}.` : '';
  return { sentence: now + grown, chart: 'bars', places, series: groups(open, places) };
}

function throughput(series: readonly Series[], look: Look): Answer {
  const places = placesOf(series);
  const of = (kind: string): Series[] => series.filter(({ name }) => name.split(': ').at(-1) === kind);
  const [came, went, again] = ['In', 'Out', 'Reopened'].map((kind) => plain(sumOf(sums(of(kind), places))));
  const sentence = `${came} came in, ${went} went out, and ${again} were reopened in this period.`;
  if (!look.isGrouped) return { sentence, chart: 'pairs', places, series: groups(series, places) };
  const note = ' The chart shows what went out.';
  return { sentence: sentence + note, chart: 'bars', places, series: groups(of('Out'), places) };
}

function cycleTimes(series: readonly Series[], look: Look): Answer {
  const places = placesOf(series).toSorted();
  const last = series[0]?.points.at(-1);
  const inWords = (column: number): string => lengthInWords(numberAt(last, column), look);
  const longest = Math.max(0, ...series.flatMap(({ points }) => points.map((point) => numberAt(point, 3))));
  const [size, unit] = look.measure === 'elapsed' && longest >= 2 * DAY ? ([DAY, 'd'] as const) : ([3600, 'h'] as const); // prettier-ignore
  const scaled = (one: Series, column: number): (number | null)[] =>
    valuesAt(one, places, column).map((value) => (value === null ? null : value / size));
  const common = { chart: 'dots', places, unit } as const;
  if (look.isGrouped)
    return {
      ...common,
      sentence: 'Each mark is the time within which 85 % of the tasks of its group were done.',
      series: series.slice(0, mostSeries(places)).map((one) => ({ name: one.name, values: scaled(one, 2) })),
    };
  return {
    ...common,
    sentence: last
      ? `Of ${plain(numberAt(last, 4))} finished in the week from ${shortDay(last[0], look.reader)}, half took up to ${inWords(1)}, and 85 % up to ${inWords(2)}.`
      : 'No task was finished in this period.',
    series: series.flatMap((one) =>
      ['half', '85 %', '95 %'].map((name, at) => ({ name, values: scaled(one, at + 1) })),
    ),
  };
}

function workload(series: readonly Series[], look: Look): Answer {
  // Most tasks may be assigned to nobody.
  const most = largest(series, placesOf(series).filter((email) => email !== 'Nobody')); // prettier-ignore
  return {
    ...rows(series, look, ['Not overdue', 'Overdue']),
    sentence:
      most.count === 0
        ? 'Nobody has open tasks.'
        : `${nameOfEmail(look.reader, most.place)} has most: ${plain(most.count)}.`,
  };
}

/** A row for each place. Without groups, the second column is the part of the tasks to look at. */
function rows(
  series: readonly Series[],
  { isGrouped }: Look,
  [others, part]: readonly [string, string],
): Omit<Answer, 'sentence'> {
  const places = placesWithMost(series);
  const [counts, parts] = [sums(series, places), sums(series, places, 2)];
  const plainSeries: ChartSeries[] = [
    { name: others, values: counts.map((count, at) => count - (parts[at] ?? 0)) },
    { name: part, values: parts, tone: 'bad' },
  ];
  return { chart: 'rows', places, series: isGrouped ? groups(series, places) : plainSeries };
}

function largest(series: readonly Series[], places: readonly string[]): { place: string; count: number } {
  const counts = sums(series, places);
  const count = Math.max(0, ...counts);
  return { place: places[counts.indexOf(count)] ?? '', count };
}

const DAY = 86_400;

/** A length such as `3 d 4 h`. Working time is in hours, because its days have no fixed length. */
export function lengthInWords(seconds: number, { measure }: Pick<Look, 'measure'>): string {
  const hours = Math.floor(seconds / 3600);
  if (measure === 'elapsed' && hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return hours > 0 ? `${hours} h` : `${Math.round(seconds / 60)} min`;
}

const plain = (value: number): string => value.toLocaleString('en');
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const numberAt = (point: Point | undefined, column: number): number => Number(point?.[column] ?? 0);

const placesOf = (series: readonly Series[]): string[] => [
  ...new Set(series.flatMap(({ points }) => points.map(([place]) => place))),
];

function valuesAt({ points }: Series, places: readonly string[], column = 1): (number | null)[] {
  const values = new Map(points.map((point) => [point[0], point]));
  return places.map((place) => {
    const value = values.get(place)?.[column];
    return typeof value === 'number' ? value : null;
  });
}

function sums(series: readonly Series[], places: readonly string[], column = 1): number[] {
  const values = series.map((one) => valuesAt(one, places, column));
  return places.map((_, at) => sumOf(values.map((one) => one[at] ?? 0)));
}

/** The series for a chart. If there are too many, the largest ones, and the sum of the others. */
function groups(series: readonly Series[], places: readonly string[]): ChartSeries[] {
  const most = mostSeries(places);
  const size = (one: Series): number => sumOf(sums([one], places));
  const sorted = series.toSorted((one, other) => size(other) - size(one));
  const largest = new Set(series.length > most ? sorted.slice(0, most - 1) : series);
  const others = series.filter((one) => !largest.has(one));
  return [
    ...series
      .filter((one) => largest.has(one))
      .map((one) => ({ name: one.name.replace(/: Out$/, ''), values: valuesAt(one, places) })),
    ...(others.length > 0 ? [{ name: 'Others', values: sums(others, places), tone: 'others' as const }] : []),
  ];
}

/** The places with the most tasks, in their order. */
function placesWithMost(series: readonly Series[]): string[] {
  const places = placesOf(series);
  const counts = new Map(sums(series, places).map((count, at) => [places[at], count]));
  const sorted = places.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  const most = new Set(sorted.slice(0, MAX_ROWS));
  return places.filter((place) => most.has(place));
}

const MAX_ROWS = 20;
