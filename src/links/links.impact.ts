import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { agree, plural } from '../common/wording.js';
import { nextVersion } from '../tasks/store/task-row.js';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { countOf, type Effect, effectOf } from '../workflows/model/effect.js';
import { type RelationshipEntity } from '../workflows/model/entities/relationship.entity.js';
import { type Impact } from '../workflows/model/impact.js';
import { type RelationshipDefinition } from '../workflows/model/relationship-definition.js';
import { type WorkspaceRows } from '../workflows/model/workspace-rows.js';
import { LinkEntity } from '../tasks/links/link.entity.js';

/** Deletes the links of relationships that are removed or will link other workflows. */
export const linksImpact: Impact = {
  async effects(db, { rows, merged, matches }) {
    const effects: Effect[] = [];
    const moved = new Set(movedRelationships(rows, merged));
    for (const gone of matches.gone.relationships) effects.push(...(await lostLinks(db, gone, 'it has')));
    for (const relationship of rows.relationships) {
      const { workspaceId, id, kind } = relationship;
      const wanted = merged.relationships.find((one) => one.id === id);
      if (moved.has(id))
        effects.push(...(await lostLinks(db, relationship, 'it will link other workflows and loses')));
      else if (wanted && wanted.kind !== kind) effects.push(...(await crowdedTasks(db, workspaceId, wanted)));
    }
    return effects;
  },
  async release(tx, { rows, merged, matches }) {
    const gone = matches.gone.relationships.map(({ id }) => id);
    const unlinked = [...movedRelationships(rows, merged), ...gone];
    if (unlinked.length > 0) await sql(tx, unlink, [rows.workspace.id, unlinked]);
  },
};

async function lostLinks(
  db: EntityManager,
  { workspaceId, id }: RelationshipEntity,
  why: string,
): Promise<Effect[]> {
  const count = await db.countBy(LinkEntity, { workspaceId, relationshipId: id });
  return effectOf('loses', 'relationship', id, count, `${why} ${plural(count, 'link')}`);
}

/** Returns the ids of the relationships that will link other workflows, and therefore lose their links. */
function movedRelationships(
  { workflows, relationships }: WorkspaceRows,
  merged: WorkspaceDefinition,
): string[] {
  const slugs = new Map(workflows.map(({ id, slug }) => [id, slug]));
  const wanted = new Map(merged.relationships.map((relationship) => [relationship.id, relationship]));
  return relationships
    .filter(({ id, fromWorkflowId, toWorkflowId }) => {
      const { from, to } = wanted.get(id) ?? {};
      if (!from || !to) return false;
      return from.workflow !== slugs.get(fromWorkflowId) || to.workflow !== slugs.get(toWorkflowId);
    })
    .map(({ id }) => id);
}

/** Counts tasks with several links where only one will be allowed. People must choose the one that stays. */
async function crowdedTasks(
  db: EntityManager,
  workspaceId: number,
  { id, kind, from, to }: RelationshipDefinition,
): Promise<Effect[]> {
  const sides = [
    { name: from.name, isSingle: kind.endsWith('_to_one'), count: countCrowded('from_id') },
    { name: to.name, isSingle: kind.startsWith('one_to_'), count: countCrowded('to_id') },
  ];
  const effects: Effect[] = [];
  for (const { name, count } of sides.filter(({ isSingle }) => isSingle)) {
    const crowded = await countOf(db, count, [workspaceId, id]);
    const tasks = `${plural(crowded, 'task')} ${agree(crowded, 'has', 'have')} several links under ${name}`;
    const message = `it cannot become ${kind}: ${tasks}; remove all but one`;
    effects.push(...effectOf('blocked', 'relationship', id, crowded, message));
  }
  return effects;
}

const countCrowded = (column: 'from_id' | 'to_id'): string => `
  SELECT count(*) FROM (
    SELECT FROM links WHERE workspace_id = $1 AND relationship_id = $2 GROUP BY ${column} HAVING count(*) > 1
  ) crowded`;

// Deletes links of relationships, and gives the tasks at both ends a new version.
const unlink = {
  text: `
    WITH removed AS (
      DELETE FROM links WHERE workspace_id = $1 AND relationship_id = ANY($2)
      RETURNING from_workflow_id, from_id, to_workflow_id, to_id
    ), ends AS (
      SELECT from_workflow_id AS workflow_id, from_id AS id FROM removed
      UNION SELECT to_workflow_id, to_id FROM removed
    )
    UPDATE tasks t SET ${nextVersion} FROM ends e
    WHERE t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.id`,
};
