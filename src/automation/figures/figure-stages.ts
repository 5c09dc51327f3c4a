import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** The stages of a workflow as figures name them, including stages that were removed from the definition. */
export interface FigureStages {
  readonly ends: readonly number[];
  readonly open: readonly number[];
  nameOf(id: number): string;
  readonly order: (one: number, other: number) => number;
}

export async function readStages(
  db: EntityManager,
  { workspaceId, schema: { stages } }: Workflow,
): Promise<FigureStages> {
  const former = await sql<FormerStage>(db, readFormer, [workspaceId]);
  const all = [...stages.all, ...former.map(({ name, ...stage }) => ({ ...stage, name: `${name} (removed)` }))]; // prettier-ignore
  const places = new Map(all.map(({ id }, at) => [id, at]));
  const names = new Map(all.map(({ id, name }) => [id, name]));
  return {
    ends: all.filter(({ isEnd }) => isEnd).map(({ id }) => id),
    open: all.filter(({ isEnd }) => !isEnd).map(({ id }) => id),
    nameOf: (id) => names.get(id) ?? '(unknown)',
    order: (one, other) => (places.get(one) ?? Infinity) - (places.get(other) ?? Infinity),
  };
}

interface FormerStage {
  readonly id: number;
  readonly name: string;
  readonly isEnd: boolean;
}

const readFormer = {
  name: 'former-stages',
  text: `
    SELECT id, name, is_end IS TRUE AS "isEnd" FROM former_names WHERE workspace_id = $1 AND kind = 'stage' ORDER BY id`,
};
