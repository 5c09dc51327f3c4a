import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** Throws unless this definition is in force. Blocks newer definitions until the transaction ends. */
export async function assertDefinition(tx: EntityManager, workflow: Workflow): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, assert, [workspaceId, id, version]);
}

const assert = { name: 'assert-definition', text: 'SELECT assert_definition($1, $2, $3)' };

/** SQL: asserts the definition's version and sets the origin; NULL while the definition is being changed. */
export const assertedAtOnce = (version: string, origin: string): string =>
  `CASE WHEN pg_try_advisory_xact_lock_shared($1, $2) THEN assert_definition($1, $2, ${version}, ${origin}) END`;
