import { type EntityManager } from 'typeorm';
import { pauses } from '../../../packages/fair/turn.js';
import { endOf } from './clock-time.js';
import { type ClockRow, isOpenClock } from './clock.js';
import { changeClocks, standingColumns, type StandingTask } from './clock-changes.repository.js';
import { clocksIn, clocksUnder, type TaskClock } from './compiled-clocks.js';
import { rowUnder } from './update-clocks.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { sql } from '../../common/database/sql.js';
import { ofWorkflow } from '../../tasks/store/task-row.js';
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
    const counts = await countClocks(db, workflow, changed);
    for (const [clock, count] of counts) effects.push(...effectsOf(changed, workflow.slug, clock, count));
  }
  return effects;
}

interface ClockCount {
  /** Running or paused. */
  running: number;
  /** How many clocks will begin. */
  begun: number;
  gone: number;
  earlier: number;
  later: number;
  overdue: number;
}

async function countClocks(
  db: EntityManager,
  workflow: Workflow,
  { merged, matches }: ChangedDefinition,
): Promise<Map<string, ClockCount>> {
  const definition = merged.workflows.find(({ id }) => id === workflow.slug);
  const schema = definition ? renamedSchema(workflow, definition, matches) : workflow.schema;
  // The new clocks read tasks as they are stored now.
  const clocks = byId(definition ? clocksUnder(merged, { ...workflow, schema }) : []);
  const formerClocks = byId(clocksIn(workflow));
  const counts = new Map<string, ClockCount>();
  for (const id of [...clocks.keys(), ...formerClocks.keys()])
    counts.set(id, { running: 0, begun: 0, gone: 0, earlier: 0, later: 0, overdue: 0 });
  const now = serviceTime(db).getTime();
  for await (const { rows, ...task } of clockedTasks(db, workflow, [...clocks.values()]))
    for (const [id, count] of counts) {
      const [row, taskClock, former] = [rows[id], clocks.get(id), formerClocks.get(id)];
      if (row && !isOpenClock(row)) continue;
      if (row && !taskClock) count.gone += 1;
      const next =
        taskClock && rowUnder({ schema }, { former, taskClock }, row, task, { at: now, fires: false });
      if (taskClock && next && (row ?? isOpenClock(next)))
        countEnd(count, row && endOf((former ?? taskClock).clock, row), endOf(taskClock.clock, next), now);
    }
  return counts;
}

const byId = (clocks: readonly TaskClock[]): ReadonlyMap<string, TaskClock> =>
  new Map(clocks.map((taskClock) => [taskClock.clock.id, taskClock]));

type ClockedRow = StandingTask & { readonly rows: Readonly<Record<string, ClockRow>> };

/** The tasks of a workflow with the rows of their clocks. */
async function* clockedTasks(
  db: EntityManager,
  { workspaceId, id: workflowId }: Workflow,
  clocks: readonly TaskClock[],
): AsyncGenerator<ClockedRow> {
  const fieldIds = [...new Set(clocks.flatMap((clock) => clock.fieldIds))];
  const pause = pauses({ workspaceId });
  for (let last: string | undefined = '0'; last !== undefined;) {
    const tasks: ClockedRow[] = await sql<ClockedRow>(db, next, [workspaceId, workflowId, last, fieldIds]);
    for (const task of tasks) {
      yield task;
      await pause();
    }
    last = tasks.at(-1)?.id;
  }
}

const next = {
  text: `
    SELECT ${standingColumns}, (
      SELECT COALESCE(json_object_agg(c.clock_id, c.row), '{}') FROM clocks c
      WHERE c.workspace_id = $1 AND c.task_id = t.id
    ) AS rows
    FROM tasks t WHERE ${ofWorkflow} AND t.id > $3::bigint ORDER BY t.id LIMIT 1000`,
};

/** Counts a clock by its end before, undefined if it is new, and its end afterwards. */
function countEnd(count: ClockCount, was: number | null | undefined, is: number | null, now: number): void {
  if (was === undefined) count.begun += 1;
  else {
    count.running += 1;
    count.earlier += is !== null && (was === null || is < was) ? 1 : 0;
    count.later += was !== null && (is === null || is > was) ? 1 : 0;
  }
  const isPast = (end: number | null | undefined): boolean => end != null && end <= now;
  count.overdue += isPast(is) && !isPast(was) ? 1 : 0;
}

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
