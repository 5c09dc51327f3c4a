import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type FieldEntity } from '../../workflows/model/entities/field.entity.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type IndexKind } from '../../workflows/fields/field-type.js';
import { fieldTypes } from '../../workflows/fields/field-types.js';
import { Health } from '../../common/ops/health.js';
import { type Sweep } from '../../common/ops/job-kind.js';

/** Whether an index of words lists the field in `text_fields`. The Unique ID is covered but not listed. */
function isTextField({ type }: { readonly type: string }): boolean {
  const { isSearched = false, storage } = fieldTypes.get(type) ?? {};
  return isSearched && storage === 'values';
}

interface WantedIndex {
  readonly workflow_id: number;
  /** Empty for the index of words, which covers several fields. */
  readonly field_id: string;
  readonly kind: IndexKind | 'words';
  readonly text_fields?: readonly string[];
  /** Whether to discard the present contents of the index. */
  readonly is_anew: boolean;
}

interface IndexedParts {
  readonly workflows: readonly WorkflowEntity[];
  readonly fields: readonly FieldEntity[];
}

/**
 * Creates the indexes that the stored definition requires, and drops all others. From then on, each write of
 * a task updates the new indexes. Lists do not use an index before it is complete. `former` contains the
 * previous fields. If a field's type changes to or from text, the index of words starts anew.
 */
export async function beginIndexes(
  db: EntityManager,
  workspaceId: number,
  parts: IndexedParts,
  former: readonly FieldEntity[],
): Promise<void> {
  const wanted = [...wantedOrders(parts), ...wantedWords(parts, former)];
  const dropped = await sql<{ id: number }>(db, dropOthers, [workspaceId, JSON.stringify(wanted)]);
  const ids = dropped.map(({ id }) => id);
  if (ids.length > 0)
    for (const statement of [dropKeys, dropWords]) await sql(db, statement, [workspaceId, ids]);
  await sql(db, begin, [workspaceId, JSON.stringify(wanted)]);
}

function wantedOrders({ fields }: IndexedParts): WantedIndex[] {
  return fields.flatMap(({ workflowId, id, type, settings }) => {
    const kind = settings['index'] === true ? fieldTypes.get(type)?.indexedAs : undefined;
    return kind ? [{ workflow_id: workflowId, field_id: id, kind, is_anew: false }] : [];
  });
}

function wantedWords({ workflows, fields }: IndexedParts, former: readonly FieldEntity[]): WantedIndex[] {
  const known = new Map(former.map((field) => [field.id, field]));
  const isRetyped = (field: FieldEntity): boolean => {
    const before = known.get(field.id);
    return before !== undefined && isTextField(before) !== isTextField(field);
  };
  return workflows
    .filter(({ search }) => search)
    .map(({ id }) => {
      const own = fields.filter(({ workflowId }) => workflowId === id);
      const text_fields = own.filter(isTextField).map((field) => field.id);
      return { workflow_id: id, field_id: '', kind: 'words', text_fields, is_anew: own.some(isRetyped) };
    });
}

// The DELETE waits for a process that is filling the index. Otherwise, that process could add keys after
// `dropKeys` has run.
const dropOthers = {
  text: `
    DELETE FROM field_indexes i WHERE i.workspace_id = $1 AND NOT EXISTS (
      SELECT FROM json_to_recordset($2::json) w (workflow_id integer, field_id text, kind text, is_anew boolean)
      WHERE w.workflow_id = i.workflow_id AND w.field_id = i.field_id AND w.kind = i.kind AND NOT w.is_anew
    )
    RETURNING i.id`,
};

const dropKeys = { text: 'DELETE FROM task_sort_keys WHERE workspace_id = $1 AND index_id = ANY($2)' };

const dropWords = { text: 'DELETE FROM task_words WHERE workspace_id = $1 AND index_id = ANY($2)' };

const begin = {
  text: `
    INSERT INTO field_indexes AS i (workspace_id, workflow_id, field_id, kind, text_fields)
    SELECT $1, w.workflow_id, w.field_id, w.kind, w.text_fields
    FROM json_to_recordset($2::json) w (workflow_id integer, field_id text, kind text, text_fields text[])
    ON CONFLICT (workspace_id, workflow_id, field_id) DO UPDATE SET text_fields = EXCLUDED.text_fields
    WHERE i.text_fields IS DISTINCT FROM EXCLUDED.text_fields`,
};

/**
 * Fills the new indexes of a workspace in chunks of tasks. Each chunk is one statement that records its
 * progress. Call this outside of a transaction: then other writes run between chunks, and an interrupted run
 * can continue. Several callers can share the work. If `isStopped` returns true, stops before the next chunk.
 */
export async function fillIndexes(
  db: EntityManager,
  workspaceId: number,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const unfilled = await sql<{ workflowId: number }>(db, findUnfilled, [workspaceId]);
  for (const { workflowId } of unfilled) {
    for (let isFilled = false; !isFilled;) {
      if (isStopped()) return;
      const [chunk] = await sql<Chunk>(db, fillChunk, [workspaceId, workflowId, CHUNK_SIZE, CHUNK_BYTES]);
      isFilled = chunk === undefined || chunk.count === 0;
    }
  }
}

interface Chunk {
  readonly count: number;
}

/** Chunks are small, because writers and other callers of `fillIndexes` wait for each chunk. */
const CHUNK_SIZE = 1_000;
const CHUNK_BYTES = 2_000_000;

const findUnfilled = {
  text: `
    SELECT DISTINCT workflow_id AS "workflowId" FROM field_indexes
    WHERE workspace_id = $1 AND NOT is_filled ORDER BY workflow_id`,
};

// Locks the indexes first, because another caller may be filling them. FOR SHARE waits for tasks that are
// being written, so that no outdated key is inserted.
const fillChunk = {
  text: `
    WITH indexes AS MATERIALIZED (
      SELECT id, field_id, kind, text_fields, filled_to FROM field_indexes
      WHERE workspace_id = $1 AND workflow_id = $2 AND NOT is_filled ORDER BY id FOR NO KEY UPDATE
    ), chunk AS MATERIALIZED (
      SELECT t.id FROM (
        SELECT t.id, sum(t.bytes) OVER (ORDER BY t.id) - t.bytes AS preceding FROM (
          SELECT id, pg_column_size(field_values) AS bytes FROM tasks
          WHERE workspace_id = $1 AND workflow_id = $2 AND id > (SELECT min(filled_to) FROM indexes)
          ORDER BY id LIMIT $3
        ) t
      ) t WHERE t.preceding < $4
    ), held AS MATERIALIZED (
      SELECT id, unique_value, field_values FROM tasks
      WHERE workspace_id = $1 AND workflow_id = $2 AND id = ANY (ARRAY(SELECT id FROM chunk))
      ORDER BY id FOR SHARE
    ), keys AS (
      INSERT INTO task_sort_keys (workspace_id, index_id, sort_key, task_id)
      SELECT $1, i.id, sort_key_of(t.field_values ->> i.field_id, i.kind), t.id
      FROM held t CROSS JOIN indexes i WHERE i.kind <> 'words'
      ON CONFLICT DO NOTHING
    ), words AS (
      INSERT INTO task_words (workspace_id, index_id, task_id, words)
      SELECT $1, i.id, t.id, words_of(i.id, i.text_fields, t.unique_value, t.field_values)
      FROM held t CROSS JOIN indexes i WHERE i.kind = 'words'
      ON CONFLICT DO NOTHING
    ), noted AS (
      UPDATE field_indexes f
      SET filled_to = GREATEST(i.filled_to, (SELECT max(id) FROM chunk)), is_filled = NOT EXISTS (SELECT FROM chunk)
      FROM indexes i WHERE f.workspace_id = $1 AND f.id = i.id
    )
    SELECT count(*)::integer AS count FROM chunk`,
};

const findWorkspaces = {
  scope: 'all workspaces' as const,
  text: 'SELECT DISTINCT workspace_id AS id FROM field_indexes WHERE NOT is_filled ORDER BY workspace_id',
};

/** Fills the indexes that an `apply` left incomplete. Several processes may run this at the same time. */
export const indexSweep: Sweep = {
  name: 'index-sweep',
  next: '(SELECT service_now() FROM field_indexes WHERE NOT is_filled LIMIT 1)',
  async sweep(parts) {
    const isStopped = (): boolean => parts.provider(Health).isStopping;
    const unfilled = await sql<{ id: number }>(parts.db, findWorkspaces, []);
    for (const { id } of unfilled) await fillIndexes(parts.db, id, isStopped);
  },
};
