import { type Calendar, calendarWithoutHours } from '../../workflows/time/calendar.js';
import { type Clock, parseRungAt, type Rung } from './clock.js';
import { type Duration, parseDuration } from '../../workflows/time/duration.js';
import { momentOf } from '../../workflows/time/zone.js';
import { clocks } from './clocks.kind.js';
import { type StoredClock } from './clocks.repository.js';
import { type ClockDefinition, type ClockRungDefinition } from './clock-definition.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { foundOnce } from '../../workflows/model/check/kit.js';
import { calendarsOf } from '../../workflows/model/kinds/calendars.kind.js';
import { type WorkspaceDefinition } from '../../workflows/model/definition.js';

export interface TaskClock {
  readonly clock: Clock;
  readonly fieldIds: readonly string[];
  /** Reads the field that determines the budget. */
  readonly budgetValue: (task: TaskView) => string | null;
  /** Reads the instant in the field that `starts` or `due` names. */
  readonly moment: (task: TaskView) => number | null;
}

/** The compiled clocks of a workflow. Leaves out definitions that this service version cannot compile. */
export const clocksIn = foundOnce((workflow: Workflow): readonly TaskClock[] =>
  clocks.in(workflow).flatMap((definition) => compileClock(definition, workflow) ?? []),
);

/** The ids of the fields that the clocks of a workflow read. */
export const clockFieldsOf = (workflow: Workflow): string[] => [
  ...new Set(clocksIn(workflow).flatMap(({ fieldIds }) => fieldIds)),
];

function compileClock(definition: ClockDefinition, workflow: Workflow): TaskClock | undefined {
  const { starts, due, budget } = definition;
  const calendar = calendarOf(definition, workflow);
  const rungs = definition.rungs.map(rungOf);
  const ends = workflow.schema.stages.all.filter(({ isEnd }) => isEnd).map(({ name }) => name);
  if (!calendar || rungs.includes(undefined)) return undefined;
  const byField = typeof budget === 'object' ? workflow.schema.byName.get(budget.field) : undefined;
  const momentName = due?.field ?? (starts && 'field' in starts ? starts.field : undefined);
  const momentField = momentName === undefined ? undefined : workflow.schema.byName.get(momentName);
  const clock: Clock = {
    id: definition.id,
    calendar,
    runs: kindOf(definition),
    stages: new Set(definition.while?.stages ?? (starts && 'stages' in starts ? starts.stages : [])),
    pauses: new Set(definition.pauses?.stages),
    stops: new Set(definition.stops?.stages ?? ends),
    budget: budgetOf(budget),
    rungs: rungs.flatMap((rung) => rung ?? []),
    again: definition.again ?? 'restart',
  };
  const at = due ? due.at : '00:00';
  return {
    clock,
    fieldIds: [byField, momentField].flatMap((property) => property?.fieldId ?? []),
    budgetValue: (task) => (byField ? shownText(byField, task) : null),
    moment: (task) => {
      const text = momentField ? shownText(momentField, task) : null;
      return text === null ? null : momentOf(calendar.zone, text, at);
    },
  };
}

function kindOf({ starts, while: within, due }: ClockDefinition): Clock['runs'] {
  if (due) return 'until_field';
  if (within) return 'in_stages';
  return starts && 'field' in starts ? 'from_field' : 'from_stages';
}

function calendarOf({ calendar }: ClockDefinition, workflow: Workflow): Calendar | undefined {
  return calendar === undefined ? calendarWithoutHours(workflow.timezone) : workflow.calendars.get(calendar);
}

function rungOf({ at, run, fields }: ClockRungDefinition): Rung | undefined {
  const { value } = parseRungAt(at);
  const given = fields ? { set: fields } : null;
  return value && { id: at, at: value, run, given };
}

function budgetOf(budget: ClockDefinition['budget']): Clock['budget'] {
  const read = (text: string | undefined): Duration | null =>
    text === undefined || text === 'none' ? null : (parseDuration(text).value ?? null);
  if (typeof budget !== 'object') return { of: new Map(), else: read(budget) };
  const of = Object.entries(budget.of).flatMap(([value, text]) => {
    const parsed = read(text);
    return parsed ? [[value, parsed] as const] : [];
  });
  return { of: new Map(of), else: read(budget.else) };
}

function shownText(property: ListedProperty, task: TaskView): string | null {
  const shown = property.serialize(task);
  return typeof shown === 'string' ? shown : typeof shown === 'boolean' ? String(shown) : null;
}

/**
 * Compiles a clock from the version of the definition under which the clock's row was last written. Uses the
 * current fields and stages. Returns undefined if that version is gone, or if it has no such clock.
 */
export async function formerClock(
  db: EntityManager,
  workflow: Workflow,
  { clockId, row: { definition } }: StoredClock,
): Promise<TaskClock | undefined> {
  const versions = versionsOf(workflow);
  const former = versions.get(definition) ?? (await clocksOfVersion(db, workflow, definition));
  versions.set(definition, former);
  return former.find(({ clock }) => clock.id === clockId);
}

const versionsOf = foundOnce((_workflow: Workflow) => new Map<number, readonly TaskClock[]>());

async function clocksOfVersion(
  db: EntityManager,
  workflow: Workflow,
  version: number,
): Promise<readonly TaskClock[]> {
  const values = [workflow.workspaceId, version];
  const [row] = await sql<{ definition: Partial<WorkspaceDefinition> }>(db, read, values);
  if (!row) return [];
  const { workflows, workspace } = row.definition;
  const own = workflows?.find(({ id }) => id === workflow.slug);
  const under = {
    ...workflow,
    timezone: workspace?.timezone ?? workflow.timezone,
    calendars: calendarsOf(row.definition),
  };
  return clocks.in(own ?? {}).flatMap((clock) => compileClock(clock, under) ?? []);
}

const read = {
  name: 'read-definition-version',
  text: 'SELECT definition FROM definition_versions WHERE workspace_id = $1 AND version = $2',
};
