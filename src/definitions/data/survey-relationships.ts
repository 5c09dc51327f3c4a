import { type EntityManager } from 'typeorm';
import { type RelationshipDefinition, type WorkspaceDefinition } from '../definition.js';
import { type WorkspaceRows } from '../workspace-rows.js';
import { type Draft } from './draft.js';
import { agree, type Effect, effectOf, plural } from './effect.js';
import { countOf } from './task-place.js';

/** What happens to the links of relationships that stay and change. */
export async function surveyRelationships(db: EntityManager, { rows, merged }: Draft): Promise<Effect[]> {
  const effects: Effect[] = [];
  const moved = new Set(movedRelationships(rows, merged));
  for (const { workspaceId, id, kind } of rows.relationships) {
    const wanted = merged.relationships.find((relationship) => relationship.id === id);
    if (moved.has(id)) effects.push(...(await movedLinks(db, workspaceId, id)));
    else if (wanted && wanted.kind !== kind) effects.push(...(await crowdedTasks(db, workspaceId, wanted)));
  }
  return effects;
}

/** The relationships that come to join other workflows, which no link of theirs can follow. */
export function movedRelationships(
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

async function movedLinks(db: EntityManager, workspaceId: number, id: string): Promise<Effect[]> {
  const count = await countOf(db, countLinks, [workspaceId, id]);
  const held = `it comes to join other workflows, and has ${plural(count, 'link')}`;
  return effectOf('loses', 'relationship', id, count, held);
}

/** The tasks that hold several others where the definition allows one: nobody but people can say which one stays. */
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
    const tasks = `${plural(crowded, 'task')} ${agree(crowded, 'holds', 'hold')} several under ${name}`;
    const message = `it cannot become ${kind}: ${tasks}; unlink all but one`;
    effects.push(...effectOf('blocked', 'relationship', id, crowded, message));
  }
  return effects;
}

const countLinks = 'SELECT count(*) FROM links WHERE workspace_id = $1 AND relationship_id = $2';

const countCrowded = (column: 'from_id' | 'to_id'): string => `
  SELECT count(*) FROM (
    SELECT FROM links WHERE workspace_id = $1 AND relationship_id = $2 GROUP BY ${column} HAVING count(*) > 1
  ) crowded`;
