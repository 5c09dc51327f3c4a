import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type FieldEntity } from '../../entities/field.entity.js';
import { type IndexKind } from '../../schema/field-type.js';
import { fieldTypes } from '../../schema/field-types.js';
import { type OnProgress } from '../draft.js';
import { countTasks } from './in-chunks.js';

/** How the index of a field keeps its values; undefined where the field has none. */
export function indexKindOf({
  type,
  index,
}: {
  readonly type: string;
  readonly index?: unknown;
}): IndexKind | undefined {
  return index === true ? fieldTypes.get(type)?.indexedAs : undefined;
}

/**
 * Begins the indexes that the stored fields of a workspace ask for and drops all others. From then on writes keep them,
 * and lists use them once they are filled.
 */
export async function beginIndexes(
  db: EntityManager,
  workspaceId: number,
  fields: readonly FieldEntity[],
): Promise<void> {
  const wanted = fields.flatMap(({ workflowId, id, type, settings }) => {
    const kind = indexKindOf({ type, index: settings['index'] });
    return kind ? [{ workflow_id: workflowId, field_id: id, kind }] : [];
  });
  const dropped = await sql<{ id: number }>(db, dropOthers, [workspaceId, JSON.stringify(wanted)]);
  if (dropped.length > 0) await sql(db, dropKeys, [workspaceId, dropped.map(({ id }) => id)]);
  await sql(db, begin, [workspaceId, JSON.stringify(wanted)]);
}

// An index goes before its keys: whoever fills it is waited for, and puts none in behind them.
const dropOthers = {
  text: `
    DELETE FROM field_indexes i WHERE i.workspace_id = $1 AND NOT EXISTS (
      SELECT FROM json_to_recordset($2::json) w (workflow_id integer, field_id text, kind text)
      WHERE w.workflow_id = i.workflow_id AND w.field_id = i.field_id AND w.kind = i.kind
    )
    RETURNING i.id`,
};

const dropKeys = { text: 'DELETE FROM task_sort_keys WHERE workspace_id = $1 AND index_id = ANY($2)' };

const begin = {
  text: `
    INSERT INTO field_indexes (workspace_id, workflow_id, field_id, kind)
    SELECT $1, w.workflow_id, w.field_id, w.kind
    FROM json_to_recordset($2::json) w (workflow_id integer, field_id text, kind text)
    ON CONFLICT DO NOTHING`,
};

/**
 * Fills the indexes of a workspace that were begun: a chunk of tasks at a time, each by a statement of its own that
 * keeps how far it came. So outside of a transaction others write meanwhile, what breaks off is continued by the next
 * who calls this, and several who do share the work. Gives up between two chunks where `isStopped` says so.
 */
export async function fillIndexes(
  db: EntityManager,
  workspaceId: number,
  { onProgress, isStopped = () => false }: Filling = {},
): Promise<void> {
  const unfilled = await sql<{ workflowId: number }>(db, findUnfilled, [workspaceId]);
  for (const { workflowId } of unfilled) {
    const total = onProgress ? await countTasks(db, { workspaceId, workflowId }) : 0;
    for (let [done, isFilled] = [0, false]; !isFilled;) {
      if (isStopped()) return;
      const [chunk] = await sql<Chunk>(db, fillChunk, [workspaceId, workflowId, CHUNK_SIZE]);
      isFilled = chunk === undefined || chunk.count === 0;
      done += chunk?.count ?? 0;
      if (!isFilled) onProgress?.({ task: 'filling indexes', done, total });
    }
  }
}

interface Filling {
  readonly onProgress?: OnProgress | undefined;
  readonly isStopped?: () => boolean;
}

/** The tasks of one statement. */
interface Chunk {
  readonly count: number;
}

/** Writers wait for a chunk, and so do those who ask for the next one. */
const CHUNK_SIZE = 1_000;

const findUnfilled = {
  text: `
    SELECT DISTINCT workflow_id AS "workflowId" FROM field_indexes
    WHERE workspace_id = $1 AND NOT is_filled ORDER BY workflow_id`,
};

// Held first, the indexes tell how far another who filled them at the same time has come. A task that is being written
// is waited for, so that no key of a value that it had is put in behind it.
const fillChunk = {
  text: `
    WITH indexes AS MATERIALIZED (
      SELECT id, field_id, kind, filled_to FROM field_indexes
      WHERE workspace_id = $1 AND workflow_id = $2 AND NOT is_filled ORDER BY id FOR NO KEY UPDATE
    ), held AS MATERIALIZED (
      SELECT id, field_values FROM tasks
      WHERE workspace_id = $1 AND workflow_id = $2 AND id > (SELECT min(filled_to) FROM indexes)
      ORDER BY id LIMIT $3 FOR SHARE
    ), filled AS (
      INSERT INTO task_sort_keys (workspace_id, index_id, sort_key, task_id)
      SELECT $1, i.id, sort_key_of(t.field_values ->> i.field_id, i.kind), t.id FROM held t CROSS JOIN indexes i
      ON CONFLICT DO NOTHING
    ), noted AS (
      UPDATE field_indexes f
      SET filled_to = GREATEST(i.filled_to, (SELECT max(id) FROM held)), is_filled = NOT EXISTS (SELECT FROM held)
      FROM indexes i WHERE f.workspace_id = $1 AND f.id = i.id
    )
    SELECT count(*)::integer AS count FROM held`,
};

/** The workspaces with an index that is not filled. */
export async function unfilledWorkspaces(db: EntityManager): Promise<readonly number[]> {
  const found = await sql<{ id: number }>(db, findWorkspaces, []);
  return found.map(({ id }) => id);
}

const findWorkspaces = {
  text: 'SELECT DISTINCT workspace_id AS id FROM field_indexes WHERE NOT is_filled ORDER BY workspace_id',
};
