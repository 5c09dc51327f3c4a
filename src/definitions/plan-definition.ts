import { type DataSource, type EntityManager } from 'typeorm';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { type OnProgress, type Plan } from './data/draft.js';
import { surveyData } from './data/survey.js';
import { draftOf, noRows } from './draft-of.js';
import { type SourceDefinition } from './read-definition.js';
import { loadWorkspaceRows, type WorkspaceRows } from './workspace-rows.js';

/** What to do beyond what the file says. */
export interface PlanOptions {
  /** Removes what the file does not name; users are deactivated. */
  readonly isPruning?: boolean;
  readonly onProgress?: OnProgress | undefined;
}

/** What applying would do, and to how much data, in one snapshot; writes nothing and keeps nobody waiting. */
export async function planDefinition(
  dataSource: DataSource,
  source: SourceDefinition,
  { isPruning = false, onProgress }: PlanOptions = {},
): Promise<Plan> {
  return dataSource.transaction('REPEATABLE READ', async (db) => {
    await db.query('SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = 0');
    const rows = await findRows(db, source.definition.workspace.id);
    const draft = draftOf(rows, source, isPruning);
    const { workspace } = rows;
    const effects = await surveyData(db, draft, onProgress);
    return { workspace: workspace.slug, version: workspace.version, changes: draft.changes, effects };
  });
}

async function findRows(db: EntityManager, slug: string): Promise<WorkspaceRows> {
  // What cannot be stored cannot be looked up; the check of the draft says what is wrong with it.
  const workspace = /^[a-z0-9-]+$/.test(slug) ? await db.findOneBy(WorkspaceEntity, { slug }) : null;
  return (workspace && (await loadWorkspaceRows(db, workspace.id))) ?? noRows(slug);
}
