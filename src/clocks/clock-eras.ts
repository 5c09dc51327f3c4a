import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type DefinitionVersionEntity } from '../entities/definition-version.entity.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { type Workflow } from '../workspace/workspace.js';
import { workflowsWithOtherClocks } from './changed-clocks.js';
import { clocksIn, type TaskClock } from './compiled-clocks.js';
import { compileFormer } from './former-clocks.js';

/** A period in which the clocks of a workflow did not change. */
export interface ClockEra {
  /** The first era begins before all events. */
  readonly from: number;
  readonly clocks: readonly TaskClock[];
}

interface Version extends Readonly<Pick<DefinitionVersionEntity, 'version' | 'appliedAt'>> {
  readonly definition: WorkspaceDefinition;
}

/** The clocks that a workflow has had, with present names of fields and stages, oldest first. */
export async function clockErasOf(db: EntityManager, workflow: Workflow): Promise<readonly ClockEra[]> {
  return erasOf(await sql<Version>(db, read, [workflow.workspaceId]), workflow);
}

function erasOf(versions: readonly Version[], workflow: Workflow): ClockEra[] {
  const eras: ClockEra[] = [];
  for (const [at, { version, appliedAt, definition }] of versions.entries()) {
    const before = versions[at - 1]?.definition;
    if (before && workflowsWithOtherClocks(before, definition, [workflow]).length === 0) continue;
    const clocks = version === workflow.version ? clocksIn(workflow) : compileFormer(definition, workflow);
    eras.push({ from: at === 0 ? -Infinity : appliedAt.getTime(), clocks });
  }
  return eras;
}

const read = {
  name: 'read-definition-versions',
  text: `
    SELECT version, applied_at AS "appliedAt", definition FROM definition_versions
    WHERE workspace_id = $1 ORDER BY version`,
};
