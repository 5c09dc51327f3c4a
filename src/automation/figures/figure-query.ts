import { type EntityManager } from 'typeorm';
import { startOfDay, todayIn } from '../../common/calendar.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { FieldErrors } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { FormerNameEntity } from '../../events/event.entity.js';
import { seenOf } from '../../tasks/list/seen-conditions.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { controls } from '../../workflows/fields/filters.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { parameterReader, parseConditions, parseFlag, single } from '../../workflows/fields/list-query.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type Stage, type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type Calendar } from '../../workflows/time/calendar.js';
import { beginningOfDay, DAY, dayText, zoneOf } from '../../workflows/time/zone.js';
import { type Series } from './figure.dto.js';

/** Reads and describes a figure. To add a metric, write it in `metrics/` and list it in `metrics.ts`. */
export interface Metric {
  readonly columns: readonly string[];
  /** How much time one point (a bucket) covers by default. Absent if the figure has no buckets. */
  readonly interval?: 'day' | 'week';
  /** By default, the figure covers this many days from today. If absent: the last twelve weeks and today. */
  readonly daysAhead?: number;
  definition(query: FigureQuery): string;
  read(db: EntityManager, query: FigureQuery): Promise<readonly Series[]>;
}

export interface FigureQuery {
  readonly scope: Scope;
  readonly now: Date;
  /** Conditions on tasks. Without conditions or group, figures about the past also count deleted tasks. */
  readonly conditions: readonly Condition[];
  /** The first day of the period, as YYYY-MM-DD. */
  readonly from: string;
  /** The day after the last day of the period. */
  readonly to: string;
  readonly interval: 'day' | 'week';
  /** The first day of each bucket that has begun. If the figure has no buckets, only `from`. */
  readonly buckets: readonly string[];
  readonly group: ListedProperty | undefined;
  /** The calendar that measures working time; undefined for elapsed time. */
  readonly calendar: Calendar | undefined;
  readonly hasImports: boolean;
  /** The stages of the workflow in their order, then all removed stages of the workspace. */
  readonly stages: readonly FigureStage[];
  readonly open: readonly FigureStage[];
  readonly ends: readonly FigureStage[];
}

export type FigureStage = Pick<Stage, 'id' | 'name' | 'isEnd'>;

/** The parameters that figures have and lists do not have. */
const figureParameters = ['from', 'to', 'interval', 'group', '_time', '_imports'];

const ofLists = ['_sort', '_limit', '_after', '_fields', '_count'];

export const MAX_POINTS = 400;

/** Parses the parameters of a figure. Throws all errors in them at once. */
export async function readFigureQuery(
  db: EntityManager,
  scope: Scope,
  metric: Metric,
  query: URLSearchParams,
): Promise<FigureQuery> {
  const { workflow } = scope;
  const errors = new FieldErrors();
  const read = parameterReader(query, errors);
  const now = serviceTime(db);
  const today = todayIn(workflow.timezone, now);
  const dayFromToday = (days: number): string => dayText(numberOf(today) + days);
  const from = read('from', dayFromToday(metric.daysAhead === undefined ? -84 : 0), single(parseDay));
  const to = read('to', dayFromToday(metric.daysAhead ?? 1), single(parseDay));
  const interval = read('interval', metric.interval ?? 'week', single(oneOf('day', 'week')));
  const groups = groupableIn(workflow.schema);
  const name = read<string>('group', '', single(oneOf(...groups.map((one) => one.name))));
  const group = groups.find((one) => one.name === name);
  const measure = read('_time', 'elapsed', single(oneOf('elapsed', 'working')));
  const hasImports = read<boolean>('_imports', false, single(parseFlag));
  // Working time is measured by the first calendar of the definition.
  const [calendar] = measure === 'working' ? workflow.calendars.values() : [];
  if (measure === 'working' && !calendar) errors.add('_time', 'needs a calendar in the definition');
  if (from >= to) errors.add('to', 'is not after from');
  else if (numberOf(to) - numberOf(from) > MAX_POINTS * (metric.interval && interval === 'week' ? 7 : 1))
    errors.add('to', say`makes more than ${MAX_POINTS} points`);
  for (const each of ofLists) if (query.has(each)) errors.add(each, 'works only for lists, not for figures');
  const reserved = new Set([...figureParameters, ...controls]);
  const conditions = seenOf(scope, parseConditions(workflow.schema, query, errors, reserved));
  errors.throwIfAny();
  const past = daysFrom(from, to).filter((day) => day <= today);
  const buckets = metric.interval ? [...new Set(past.map((day) => bucketOf(interval, day)))] : [from];
  const stages = await readStages(db, workflow);
  const [open, ends] = [stages.filter(({ isEnd }) => !isEnd), stages.filter(({ isEnd }) => isEnd)];
  return { scope, now, conditions, from, to, interval, buckets, group, calendar, hasImports, stages, open, ends }; // prettier-ignore
}

const parseDay = (text: string): string | Invalid =>
  startOfDay(text) ? text : new Invalid('is not a date in YYYY-MM-DD format');

const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (text: string): T | Invalid =>
    values.find((value) => value === text) ?? new Invalid(say`is not one of: ${values.join(', ')}`);

/** Returns the stage, the assignee, and each field that holds one option, a person or a checkbox. */
export const groupableIn = (schema: TaskSchema): ListedProperty[] =>
  schema.properties.filter(({ filter, view }) => filter !== undefined && (filter.subject.of === 'stage' || filter.subject.of === 'assignee' || ['option', 'person', 'tick'].includes(view?.ask.by ?? ''))); // prettier-ignore

/** Converts a day to the number of days since 1970-01-01. */
const numberOf = (day: string): number => Date.parse(day) / DAY;

/** Returns the first day of the bucket that contains a day: the day itself, or the Monday of its week. */
export function bucketOf(interval: 'day' | 'week', day: string): string {
  const daysAfterMonday = (new Date(day).getUTCDay() + 6) % 7;
  return interval === 'day' ? day : dayText(numberOf(day) - daysAfterMonday);
}

export const daysFrom = (from: string, to: string): string[] =>
  Array.from({ length: numberOf(to) - numberOf(from) }, (_, at) => dayText(numberOf(from) + at));

/** Returns when a day begins. PostgreSQL would return the second midnight of a day that has two midnights. */
export const firstInstantOf = ({ scope }: Pick<FigureQuery, 'scope'>, day: string): Date =>
  new Date(beginningOfDay(zoneOf(scope.workflow.timezone), numberOf(day)));

async function readStages(db: EntityManager, { workspaceId, schema }: Workflow): Promise<FigureStage[]> {
  const former = await db.find(FormerNameEntity, { where: { workspaceId, kind: 'stage' }, order: { id: 'ASC' } }); // prettier-ignore
  const removed = former.map(({ id, name, isEnd }) => ({ id, name: `${name} (removed)`, isEnd: !!isEnd }));
  return [...schema.stages.all, ...removed];
}
