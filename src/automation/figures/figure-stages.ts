import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

export interface FigureStage {
  readonly id: number;
  readonly name: string;
  readonly isEnd: boolean;
}

/** The stages of a workflow in their order, and then those that were removed from the definition. */
export async function readStages(
  db: EntityManager,
  { workspaceId, schema: { stages } }: Workflow,
): Promise<FigureStage[]> {
  const former = await sql<FigureStage>(db, readFormer, [workspaceId]);
  return [...stages.all, ...former.map((stage) => ({ ...stage, name: `${stage.name} (removed)` }))];
}

const readFormer = {
  name: 'former-stages',
  text: `
    SELECT id, name, is_end IS TRUE AS "isEnd" FROM former_names WHERE workspace_id = $1 AND kind = 'stage' ORDER BY id`,
};
