import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** Keeps a newer definition from taking effect until the transaction ends; throws if one has. */
export async function assertDefinition(tx: EntityManager, workflow: Workflow): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, assert, [workspaceId, id, version]);
}

const assert = { name: 'assert-definition', text: 'SELECT assert_definition($1, $2, $3)' };

/** SQL: asserts the versions of $1 and $2 and sets the origin; null while the definition is being changed. */
export const assertedAtOnce = (version: string, origin: string): string =>
  `CASE WHEN pg_try_advisory_xact_lock_shared($1, $2) THEN assert_definition($1, $2, ${version}, ${origin}) END`;
