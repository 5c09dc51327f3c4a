import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type ClockDefinition } from '../workspace/clock-definition.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { parseCalendar } from '../calendars/parse-calendar.js';
import { type Workflow } from '../workspace/workspace.js';
import { compileClock, type TaskClock } from './compiled-clocks.js';

/** A clock of an earlier definition, with present names of fields and stages; undefined if it did not exist. */
export async function formerClock(
  db: EntityManager,
  workflow: Workflow,
  version: number,
  clockId: string,
): Promise<TaskClock | undefined> {
  const versions = known.get(workflow) ?? new Map<number, readonly TaskClock[]>();
  known.set(workflow, versions);
  const clocks = versions.get(version) ?? (await readFormer(db, workflow, version));
  versions.set(version, clocks);
  return clocks.find(({ clock }) => clock.id === clockId);
}

const known = new WeakMap<Workflow, Map<number, readonly TaskClock[]>>();

async function readFormer(
  db: EntityManager,
  workflow: Workflow,
  version: number,
): Promise<readonly TaskClock[]> {
  const [row] = await sql<{ definition: Partial<WorkspaceDefinition> }>(db, read, [
    workflow.workspaceId,
    version,
  ]);
  return row ? compileFormer(row.definition, workflow) : [];
}

function compileFormer(definition: Partial<WorkspaceDefinition>, workflow: Workflow): readonly TaskClock[] {
  const clocks: readonly ClockDefinition[] =
    definition.workflows?.find(({ id }) => id === workflow.slug)?.clocks ?? [];
  const calendars = (definition.calendars ?? []).flatMap((source) => parseCalendar(source).value ?? []);
  const timezone = definition.workspace?.timezone ?? workflow.timezone;
  const former = {
    ...workflow,
    timezone,
    calendars: new Map(calendars.map((calendar) => [calendar.id, calendar])),
  };
  return clocks.flatMap((clock) => compileClock(clock, former) ?? []);
}

const read = {
  name: 'read-definition-version',
  text: 'SELECT definition FROM definition_versions WHERE workspace_id = $1 AND version = $2',
};
