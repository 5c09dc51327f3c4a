import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { renameQuery } from '../../schedules/rename-schedule.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { type WorkspaceRows } from '../../workspace/workspace-rows.js';
import { findRenames, renamesOfQueries } from '../merge/renames.js';

/** Updates the queries of personal views after renames, as is done for shared views. */
export async function renamePersonalViews(
  db: EntityManager,
  { workspace, workflows }: WorkspaceRows,
  stored: WorkspaceDefinition,
  merged: WorkspaceDefinition,
): Promise<void> {
  const renames = findRenames(stored, merged);
  const isAnyRenamed =
    renames.users.size > 0 ||
    [...renames.workflows.values()].some(({ stages, fields }) => stages.size + fields.size > 0);
  if (!isAnyRenamed) return;
  const own = new Map(workflows.map(({ id, slug }) => [id, renamesOfQueries(slug, stored, renames)]));
  const views = await sql<PersonalView>(db, read, [workspace.id]);
  const changed = views.flatMap(({ id, workflowId, query }) => {
    const names = own.get(workflowId);
    const now = names ? renameQuery(query, names) : query;
    // In the same form as the addresses of pages, which a page compares to tell whether it shows the view.
    return now === query ? [] : [{ id, query: new URLSearchParams(now).toString() }];
  });
  if (changed.length === 0) return;
  await sql(db, write, [workspace.id, changed.map(({ id }) => id), changed.map(({ query }) => query)]);
}

interface PersonalView {
  readonly id: string;
  readonly workflowId: number;
  readonly query: string;
}

// A view that a user saves at this moment may keep the former names; the console then warns of it.
const read = {
  name: 'read-views-to-rename',
  text: `
    SELECT id, workflow_id AS "workflowId", query FROM personal_views
    WHERE workspace_id = $1 ORDER BY id FOR NO KEY UPDATE`,
};

const write = {
  name: 'rename-personal-views',
  text: `
    UPDATE personal_views v SET query = renamed.query
    FROM unnest($2::text[], $3::text[]) renamed (id, query)
    WHERE v.workspace_id = $1 AND v.id = renamed.id`,
};
