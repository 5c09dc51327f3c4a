import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { calendars } from '../../workflows/model/kinds/calendars.kind.js';
import { clocks } from './clocks.kind.js';
import { type WorkspaceDefinition } from '../../workflows/model/definition.js';
import { parseCalendar } from '../../workflows/time/parse-calendar.js';
import { type Workflow } from '../../workflows/model/workspace.js';
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
  const former = versions.get(version) ?? (await readFormer(db, workflow, version));
  versions.set(version, former);
  return former.find(({ clock }) => clock.id === clockId);
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

/** The clocks of a workflow in an earlier definition, with present names of fields and stages. */
function compileFormer(definition: Partial<WorkspaceDefinition>, workflow: Workflow): readonly TaskClock[] {
  const known = definition.workflows?.find(({ id }) => id === workflow.slug);
  const parsed = calendars.in(definition).flatMap((source) => parseCalendar(source).value ?? []);
  const timezone = definition.workspace?.timezone ?? workflow.timezone;
  const former = {
    ...workflow,
    timezone,
    calendars: new Map(parsed.map((calendar) => [calendar.id, calendar])),
  };
  return clocks.in(known ?? {}).flatMap((clock) => compileClock(clock, former) ?? []);
}

const read = {
  name: 'read-definition-version',
  text: 'SELECT definition FROM definition_versions WHERE workspace_id = $1 AND version = $2',
};
