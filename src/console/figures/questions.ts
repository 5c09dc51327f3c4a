import { type Figure, type Point, type Series } from '../../automation/figures/figure.js';
import { shortDay } from '../parts/time.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { type ChartSeries, mostSeries } from './charts.js';

export interface Look {
  readonly reader: SignedIn;
  readonly isGrouped: boolean;
  readonly measure: 'elapsed' | 'working';
  readonly ends: ReadonlySet<string>;
}

interface FigureInWords {
  readonly sentence: string;
  readonly chart: 'bars' | 'pairs' | 'bands' | 'dots' | 'rows';
  readonly places: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly notes?: readonly string[];
  /** The unit of the numbers, if they are not numbers of tasks. */
  readonly unit?: string;
  /** The filter that lists its most urgent tasks, and the text of the link to them. */
  readonly tasks?: { readonly filter: readonly [name: string, value: string]; readonly text: string };
}

export const shownMetrics = ['clocks', 'age', 'flow', 'throughput', 'cycle_time', 'workload'] as const;
export type ShownMetric = (typeof shownMetrics)[number];

interface Question {
  readonly title: string;
  /** What a reader sees of a place, which is a day, a stage or an e-mail. */
  readonly label: (place: string, reader: SignedIn) => string;
  readonly answer: (figure: Figure, look: Look) => FigureInWords;
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
  workload: { title: 'Who has how much', label: personCalled, answer: workload },
};

function late({ series }: Figure, look: Look): FigureInWords {
  const places = placesOf(series);
  const counts = sums(series, places);
  const [overdue = 0, ...due] = counts;
  const soon = sumOf(due.slice(0, 7));
  const sentence = `${overdue === 0 ? 'Nothing is overdue' : `${tasks(overdue)} overdue`}; ${soon === 0 ? 'nothing more falls' : soon === 1 ? '1 falls' : `${plain(soon)} fall`} due within 7 days.`;
  const plainSeries: ChartSeries[] = [
    { name: 'Overdue', values: counts.slice(0, 1), tone: 'bad' },
    { name: 'Due on a day', values: [null, ...due] },
  ];
  return {
    sentence,
    chart: 'bars',
    places,
    series: look.isGrouped ? groups(series, places) : plainSeries,
    ...(overdue > 0 && { tasks: overdueTasks }),
  };
}

const overdueTasks = { filter: ['_overdue', 'true'], text: 'Show what is overdue' } as const;

function ages({ series }: Figure, look: Look): FigureInWords {
  const places = placesWithMost(series);
  const counts = sums(series, places);
  const older = sums(series, places, 2);
  const all = placesOf(series);
  const [total, old] = [sumOf(sums(series, all)), sumOf(sums(series, all, 2))];
  const most = counts.indexOf(Math.max(...counts));
  const who = old === 0 ? 'None has been in its' : old === 1 ? 'One has been in its' : `${plain(old)} have been in their`; // prettier-ignore
  const sentence =
    total === 0
      ? 'No task is open.'
      : `Most stand in ${places[most] ?? ''}: ${plain(counts[most] ?? 0)} of ${plain(total)} open tasks. ${who} stage for longer than usual: longer than 85 % of tasks.`;
  const notes = places.map((stage, at) => {
    const [usual] = series.flatMap((one) => valuesAt(one, [stage], 4)[0] ?? []);
    const much = usual === undefined ? '' : `, ${plain(older[at] ?? 0)} longer than ${lengthInWords(usual, look)}`; // prettier-ignore
    return plain(counts[at] ?? 0) + much;
  });
  const plainSeries: ChartSeries[] = [
    { name: 'Within the usual time', values: counts.map((count, at) => count - (older[at] ?? 0)) },
    { name: 'Longer than usual', values: older, tone: 'bad' },
  ];
  return { sentence, chart: 'rows', places, notes, series: look.isGrouped ? groups(series, places) : plainSeries }; // prettier-ignore
}

function flow({ series }: Figure, look: Look): FigureInWords {
  const open = series.filter(({ name }) => !look.ends.has(name));
  const places = placesOf(open);
  const counts = sums(open, places);
  const growth = ({ points }: Series): number => numberAt(points.at(-1)) - numberAt(points[0]);
  const most = open.toSorted((one, other) => growth(other) - growth(one)).at(0);
  const grown = most && growth(most) > 0 ? ` ${most.name} grew most, by ${plain(growth(most))}.` : '';
  const sentence = `${tasks(counts.at(-1) ?? 0)} open; there ${counts[0] === 1 ? 'was' : 'were'} ${plain(counts[0] ?? 0)} at the beginning of the period.${grown}`;
  return { sentence, chart: 'bands', places, series: groups(open, places) };
}

function throughput({ series }: Figure, look: Look): FigureInWords {
  const places = placesOf(series);
  const of = (kind: string): Series[] => series.filter(({ name }) => name.split(': ').at(-1) === kind);
  const [came = 0, went = 0, again = 0] = ['In', 'Out', 'Reopened'].map((kind) =>
    sumOf(sums(of(kind), places)),
  );
  const reopened = again === 0 ? '' : ` ${plain(again)} ${again === 1 ? 'was' : 'were'} reopened.`;
  const sentence = `${plain(came)} came in and ${plain(went)} went out in this period.${reopened}`;
  if (look.isGrouped)
    return {
      sentence: `${sentence} The chart shows what went out.`,
      chart: 'bars',
      places,
      series: groups(of('Out'), places),
    };
  const plainSeries = series.map((one): ChartSeries => {
    const values = valuesAt(one, places);
    return one.name === 'Reopened' ? { name: one.name, values, tone: 'bad' } : { name: one.name, values };
  });
  return { sentence, chart: 'pairs', places, series: again === 0 ? plainSeries.slice(0, 2) : plainSeries };
}

function cycleTimes({ series }: Figure, look: Look): FigureInWords {
  const places = placesOf(series).toSorted();
  const all = series.find(({ name }) => name === 'Finished');
  const last = all?.points.at(-1);
  const sentence = last
    ? `Of ${plain(numberAt(last, 4))} finished in the week from ${shortDay(last[0], look.reader)}, half took up to ${lengthInWords(numberAt(last), look)}, and 85 % up to ${lengthInWords(numberAt(last, 2), look)}.`
    : series.length > 0
      ? 'Each mark is the time within which 85 % of the tasks of its group were done.'
      : 'No task was finished in this period.';
  const shown = all && !look.isGrouped ? [all] : series.filter(({ name }) => !name.endsWith('Reopened'));
  const longest = Math.max(0, ...shown.flatMap(({ points }) => points.map((point) => numberAt(point, 3))));
  const units = look.measure === 'working' ? times.slice(1) : times;
  const [size, unit] = units.find(([length]) => longest >= 2 * length) ?? ([60, 'min'] as const);
  const scaled = (one: Series, column: number): (number | null)[] =>
    valuesAt(one, places, column).map((value) => (value === null ? null : value / size));
  const plainSeries = shown.flatMap((one) =>
    ['half', '85 %', '95 %'].map((name, at) => ({ name, values: scaled(one, at + 1) })),
  );
  const grouped = shown
    .slice(0, mostSeries(places))
    .map((one) => ({ name: one.name, values: scaled(one, 2) }));
  return { sentence, chart: 'dots', places, unit, series: look.isGrouped ? grouped : plainSeries };
}

function workload({ series }: Figure, look: Look): FigureInWords {
  const people = placesOf(series);
  const [all, late] = [sums(series, people), sums(series, people, 2)];
  const loads = people.map((email, at) => ({ email, n: all[at] ?? 0, overdue: late[at] ?? 0 }));
  const sorted = loads.toSorted((one, other) => other.n - one.n).slice(0, MAX_PEOPLE);
  const most = sorted.find(({ email }) => email !== 'Nobody');
  const free = loads.find(({ email }) => email === 'Nobody')?.n ?? 0;
  const nobody = free === 0 ? '' : ` ${plain(free)} ${free === 1 ? 'is' : 'are'} assigned to nobody.`;
  const busiest = most ? `${personCalled(most.email, look.reader)} has most: ${plain(most.n)}.` : 'Nobody has open tasks.'; // prettier-ignore
  const plainSeries: ChartSeries[] = [
    { name: 'Not overdue', values: sorted.map(({ n, overdue }) => n - overdue) },
    { name: 'Overdue', values: sorted.map(({ overdue }) => overdue), tone: 'bad' },
  ];
  const places = sorted.map(({ email }) => email);
  return {
    sentence: `${busiest}${nobody}`,
    chart: 'rows',
    places,
    notes: sorted.map(({ n, overdue }) => plain(n) + (overdue > 0 ? `, ${plain(overdue)} overdue` : '')),
    series: look.isGrouped ? groups(series, places) : plainSeries,
  };
}

const MAX_PEOPLE = 12;

function personCalled(email: string, { workspace }: SignedIn): string {
  const user = workspace.users.find(email);
  return user ? nameOfPerson(user) : email;
}

const DAY = 86_400;
const times = [
  [DAY, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** A length such as `3 d 4 h`. Working time is in hours, because its days have no fixed length. */
export function lengthInWords(seconds: number, { measure }: Pick<Look, 'measure'>): string {
  const hours = Math.floor(seconds / 3600);
  const rest = hours % 24 === 0 ? '' : ` ${hours % 24} h`;
  if (measure === 'elapsed' && hours >= 48) return `${Math.floor(hours / 24)} d${rest}`;
  return hours > 0 ? `${hours} h` : `${Math.round(seconds / 60)} min`;
}

const plain = (value: number): string => value.toLocaleString('en');
const tasks = (count: number): string => (count === 1 ? '1 task is' : `${plain(count)} tasks are`);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const numberAt = (point: Point | undefined, column = 1): number => Number(point?.[column] ?? 0);

export const placesOf = (series: readonly Series[]): string[] => [
  ...new Set(series.flatMap(({ points }) => points.map(([place]) => place))),
];

export function valuesAt({ points }: Series, places: readonly string[], column = 1): (number | null)[] {
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
  const size = (one: Series): number => sumOf(sums([one], places));
  const most = mostSeries(places);
  const sorted = series.toSorted((one, other) => size(other) - size(one));
  const largest = new Set(series.length > most ? sorted.slice(0, most - 1) : series);
  const shown = [...largest].sort((one, other) => series.indexOf(one) - series.indexOf(other));
  const others = series.filter((one) => !largest.has(one));
  return [
    ...shown.map((one) => ({ name: groupIn(one.name), values: valuesAt(one, places) })),
    ...(others.length > 0 ? [{ name: 'Others', values: sums(others, places), tone: 'others' as const }] : []),
  ];
}

/** The places with the most tasks, in their order. */
function placesWithMost(series: readonly Series[]): string[] {
  const places = placesOf(series);
  const counts = sums(series, places);
  const sorted = [...places.keys()].sort((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0));
  const most = new Set(sorted.slice(0, MAX_STAGES));
  return places.filter((_, at) => most.has(at));
}

const MAX_STAGES = 20;

const groupIn = (name: string): string => name.replace(/: (In|Out|Reopened)$/, '');
