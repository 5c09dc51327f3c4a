import { type EntityManager } from 'typeorm';
import { pauses } from '../../../packages/fair/turn.js';
import { endOf } from './clock-time.js';
import { type ClockRow } from './clock.js';
import { foldDefinition } from './fold-clock.js';
import { clocksIn, clocksUnder, type TaskClock } from './compiled-clocks.js';
import { changeClocks, newRow, sinceStage, type SinceStage } from './derive-clocks.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { sql } from '../../common/database/sql.js';
import { ofWorkflow, plainColumns, type TaskRow } from '../../tasks/store/task-row.js';
import { compileWorkspace } from '../../workflows/model/compile-workspace.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workflows/model/definition.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type Impact } from '../../workflows/model/impact.js';
import { renamedSchema } from '../../tasks/migrate-data/renamed-schema.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { calendars as calendarLists } from '../../workflows/model/kinds/calendars.kind.js';
import { clocks as clockLists } from './clocks.kind.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { agree, plural } from '../../common/wording.js';

export const clocksImpact: Impact = {
  forecast: impactOfClocks,
  async settle(tx, { workspaceId, stored, merged, after, version, firesOverdue }) {
    const clocked = workflowsWithOtherClocks(stored, merged, after.workflows);
    await changeClocks(tx, workspaceId, clocked, version, firesOverdue);
  },
};

/** Counts the clocks of tasks that become due earlier or later, and those that become overdue at once. */
async function impactOfClocks(db: EntityManager, changed: ChangedDefinition): Promise<Effect[]> {
  const { rows, stored, merged } = changed;
  const clocked = new Set(workflowsWithOtherClocks(stored, merged, rows.workflows));
  if (clocked.size === 0) return [];
  const workspace = await compileWorkspace(rows, '');
  const effects: Effect[] = [];
  for (const workflow of workspace.workflows.values()) {
    if (!clocked.has(workflow.id)) continue;
    const counts = await countClocks(db, workflow, clocksAfter(workflow, changed));
    for (const [clock, count] of counts) effects.push(...effectsOf(changed, workflow.slug, clock, count));
  }
  return effects;
}

/** The clocks of the new definition, compiled to read tasks as they are stored now. */
function clocksAfter(workflow: Workflow, { merged, matches }: ChangedDefinition): ClocksAfter {
  const definition = merged.workflows.find(({ id }) => id === workflow.slug);
  if (!definition) return { schema: workflow.schema, clocks: [] };
  const schema = renamedSchema(workflow, definition, matches);
  return { schema, clocks: clocksUnder(merged, { ...workflow, schema }) };
}

interface ClocksAfter extends Pick<Workflow, 'schema'> {
  readonly clocks: readonly TaskClock[];
}

interface ClockCount {
  /** Running or paused. */
  running: number;
  /** The clocks that tasks will get. */
  begun: number;
  gone: number;
  earlier: number;
  later: number;
  overdue: number;
}

async function countClocks(
  db: EntityManager,
  workflow: Workflow,
  after: ClocksAfter,
): Promise<Map<string, ClockCount>> {
  const counts = new Map<string, ClockCount>();
  const fieldIds = [...new Set(after.clocks.flatMap((clock) => clock.fieldIds))];
  const now = serviceTime(db).getTime();
  const pause = pauses({ workspaceId: workflow.workspaceId });
  for (let last = '0'; ;) {
    const tasks = await sql<ClockedRow>(db, next, [workflow.workspaceId, workflow.id, last, fieldIds]);
    for (const task of tasks) {
      countTask(counts, clocksIn(workflow), after, task, now);
      await pause();
    }
    const { id } = tasks.at(-1) ?? {};
    if (id === undefined) return counts;
    last = id;
  }
}

type ClockedRow = TaskRow &
  SinceStage & { readonly clocks: readonly { readonly id: string; readonly row: ClockRow }[] | null };

const next = {
  text: `
    SELECT ${plainColumns}, ${sinceStage}, (
      SELECT COALESCE(jsonb_object_agg(id, t.field_values -> id), '{}')
      FROM unnest($4::text[]) id WHERE t.field_values ? id
    ) AS "fieldValues", (
      SELECT json_agg(json_build_object('id', c.clock_id, 'row', c.row)) FROM clocks c
      WHERE c.workspace_id = $1 AND c.task_id = t.id
    ) AS clocks
    FROM tasks t WHERE ${ofWorkflow} AND t.id > $3::bigint ORDER BY t.id LIMIT 1000`,
};

function countTask(
  counts: Map<string, ClockCount>,
  before: readonly TaskClock[],
  { schema, clocks }: ClocksAfter,
  task: ClockedRow,
  now: number,
): void {
  const countOf = (id: string): ClockCount => {
    const count = counts.get(id) ?? { running: 0, begun: 0, gone: 0, earlier: 0, later: 0, overdue: 0 };
    counts.set(id, count);
    return count;
  };
  const known = new Map((task.clocks ?? []).map(({ id, row }) => [id, row]));
  for (const each of clocks) {
    const { id } = each.clock;
    const row = known.get(id);
    known.delete(id);
    const former = before.find(({ clock }) => clock.id === id) ?? each;
    if (row && isOpen(row)) countChanged(countOf(id), former, each, row, task, now);
    const begun = row ? undefined : newRow({ schema }, each, task, task);
    if (!begun || !isOpen(begun)) continue;
    const count = countOf(id);
    count.begun += 1;
    count.overdue += isPast(endOf(each.clock, begun), now) ? 1 : 0;
  }
  for (const [id, row] of known) if (isOpen(row)) countOf(id).gone += 1;
}

function countChanged(
  count: ClockCount,
  { clock: former }: TaskClock,
  { clock, ...read }: TaskClock,
  row: ClockRow,
  task: TaskRow,
  now: number,
): void {
  const next = foldDefinition(former, clock, row, {
    at: now,
    budgetValue: read.budgetValue(task),
    moment: read.moment(task),
    fires: false,
  });
  const [was, is] = [endOf(former, row), endOf(clock, next)];
  count.running += 1;
  count.earlier += is !== null && (was === null || is < was) ? 1 : 0;
  count.later += was !== null && (is === null || is > was) ? 1 : 0;
  count.overdue += isPast(is, now) && !isPast(was, now) ? 1 : 0;
}

const isOpen = ({ state }: ClockRow): boolean => state === 'running' || state === 'paused';

const isPast = (end: number | null, now: number): boolean => end !== null && end <= now;

function effectsOf(changed: ChangedDefinition, slug: string, clock: string, count: ClockCount): Effect[] {
  const { running, begun, gone, earlier, later, overdue } = count;
  const times = [
    [earlier, 'due earlier'],
    [later, 'due later'],
    [overdue, 'overdue at once'],
  ] as const;
  const told = times.flatMap(([many, text]) => (many > 0 ? [`${many} ${text}`] : [])).join(', ');
  const message = (subject: string): string => `${subject}: ${told === '' ? 'due as before' : told}`;
  const name = `${slug} / ${clock}`;
  const at = changeBehind(changed, slug, clock);
  // The plan mentions a clock only if a change affects it.
  if (!at || (at.what !== 'clock' && told === '')) return [];
  const of = (many: number, text: string): Effect[] =>
    effectOf('notes', at.what, at.name, many, at.what === 'clock' ? text : `${name}: ${text}`);
  return [
    ...of(running, message(plural(running, 'running clock'))),
    ...of(begun, message(`${plural(begun, 'task')} ${agree(begun, 'gets', 'get')} it`)),
    ...of(gone, `${plural(gone, 'running clock')} ${agree(gone, 'ends', 'end')}`),
  ];
}

/** The change of the clock itself, or of something that it depends on. */
function changeBehind(
  { changes, merged }: ChangedDefinition,
  slug: string,
  id: string,
): { readonly what: string; readonly name: string } | undefined {
  const workflow = merged.workflows.find((each) => each.id === slug);
  const calendar = workflow && clockLists.in(workflow).find((clock) => clock.id === id)?.calendar;
  return (
    changes.find(({ what, name }) => what === 'clock' && name === `${slug} / ${id}`) ??
    changes.find(({ what, name }) => what === 'calendar' && name === calendar) ??
    changes.find(({ what, name }) => what === 'stage' && name.startsWith(`${slug} / `)) ??
    changes.find(({ what }) => what === 'workspace')
  );
}

/** The ids of the workflows whose clocks behave differently under another definition. */
function workflowsWithOtherClocks(
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
  workflows: readonly Pick<WorkflowEntity, 'id' | 'slug'>[],
): number[] {
  const before = clocksBySlug(stored);
  const after = clocksBySlug(merged);
  return workflows.filter(({ slug }) => before.get(slug) !== after.get(slug)).map(({ id }) => id);
}

/** Everything that clocks depend on, as a text. Leaves out workflows without clocks. */
function clocksBySlug(definition: WorkspaceDefinition | undefined): Map<string, string> {
  const { timezone } = definition?.workspace ?? {};
  const hours = calendarLists.in(definition ?? {});
  const textOf = (workflow: WorkflowDefinition): string =>
    JSON.stringify([
      clockLists.in(workflow),
      workflow.stages.map(({ name, end }) => [name, end]),
      hours,
      timezone,
    ]);
  const clocked = (definition?.workflows ?? []).filter((workflow) => clockLists.in(workflow).length > 0);
  return new Map(clocked.map((workflow) => [workflow.id, textOf(workflow)]));
}
