import { type EntityManager } from 'typeorm';
import { type LinkEntity } from './link.entity.js';
import { sql } from '../../common/database/sql.js';
import { nextVersion } from '../store/task-row.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { alteredBy, type LinkEdit } from './plan-links.js';
import { type TaskPlace } from './find-links.js';

/**
 * Executes a plan whose tasks are all locked. Gives a new version to all other tasks whose links change,
 * unless this transaction created them. Does not change the version of the task `taskId`.
 */
export async function replaceLinks(
  tx: EntityManager,
  { workspaceId, id: workflowId }: Workflow,
  taskId: string,
  plan: readonly LinkEdit[],
): Promise<void> {
  if (plan.length === 0) return;
  const rowsOf = (begins: boolean): LinkRow[] =>
    plan
      .filter((edit) => edit.begins === begins)
      .map((edit) => rowOf(edit.rival ?? { workflowId, id: taskId }, edit));
  const altered = alteredBy(plan).filter(({ isNew }) => isNew !== true);
  const touched = [...new Map(altered.map((place) => [place.id, place])).values()];
  await sql(tx, replace, [
    workspaceId,
    ...columns(rowsOf(false), 'relationshipId', 'fromId', 'toId'),
    ...columns(rowsOf(true), 'relationshipId', 'kind', 'fromWorkflowId', 'fromId', 'toWorkflowId', 'toId'),
    ...columns(touched, 'workflowId', 'id'),
  ]);
}

function rowOf(task: TaskPlace, { link, other }: LinkEdit): LinkRow {
  const [from, to] = link.isFrom ? [task, other] : [other, task];
  return {
    relationshipId: link.relationshipId,
    kind: link.kind,
    fromWorkflowId: from.workflowId,
    fromId: from.id,
    toWorkflowId: to.workflowId,
    toId: to.id,
  };
}

type LinkRow = Readonly<Omit<LinkEntity, 'workspaceId'>>;

function columns<Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

const replace = {
  name: 'replace-links',
  text: `
    WITH ended AS (
      DELETE FROM links l USING unnest($2::text[], $3::bigint[], $4::bigint[]) removed (relationship_id, from_id, to_id)
      WHERE l.workspace_id = $1 AND l.from_id = removed.from_id AND l.relationship_id = removed.relationship_id
        AND l.to_id = removed.to_id
      RETURNING l.from_id
    ), begun AS (
      INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
      SELECT $1, begun.* FROM unnest(
        $5::text[], $6::text[], $7::integer[], $8::bigint[], $9::integer[], $10::bigint[]
      ) begun
      -- Makes the DELETE run first, because a unique index forbids the old and the new link at once.
      WHERE (SELECT count(*) FROM ended) >= 0
    )
    UPDATE tasks t SET ${nextVersion}
    FROM unnest($11::integer[], $12::bigint[]) touched (workflow_id, id)
    WHERE t.workspace_id = $1 AND t.workflow_id = touched.workflow_id AND t.id = touched.id`,
};
