import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** Keeps a newer definition from taking effect until the transaction ends; throws if one has. */
export async function assertDefinition(tx: EntityManager, workflow: Workflow): Promise<void> {
  const { workspaceId, id, version } = workflow;
  await sql(tx, assert, [workspaceId, id, version]);
}

const assert = { name: 'assert-definition', text: 'SELECT assert_definition($1, $2, $3)' };
