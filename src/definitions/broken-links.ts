import { type EntityManager } from 'typeorm';
import { type RelationshipDefinition, type WorkspaceDefinition } from './definition.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** Why stored links do not fit the relationships as the definition has them. */
export async function brokenLinks(
  db: EntityManager,
  rows: WorkspaceRows,
  { relationships }: WorkspaceDefinition,
): Promise<string[]> {
  const slugs = new Map(rows.workflows.map(({ id, slug }) => [id, slug]));
  const reasons: string[] = [];
  for (const { workspaceId, id, kind, fromWorkflowId, toWorkflowId } of rows.relationships) {
    const wanted = relationships.find((relationship) => relationship.id === id);
    if (!wanted) continue;
    const isMoved =
      wanted.from.workflow !== slugs.get(fromWorkflowId) || wanted.to.workflow !== slugs.get(toWorkflowId);
    if (isMoved) reasons.push(...(await movedLinks(db, workspaceId, wanted)));
    else if (wanted.kind !== kind) reasons.push(...(await crowdedTasks(db, workspaceId, wanted)));
  }
  return reasons;
}

async function movedLinks(
  db: EntityManager,
  workspaceId: number,
  { id }: RelationshipDefinition,
): Promise<string[]> {
  const count = await number(db, countLinks, [workspaceId, id]);
  return count === 0
    ? []
    : [`relationship ${id} cannot join other workflows: it has ${plural(count, 'link')}`];
}

/** The tasks that hold several others where the definition allows one. */
async function crowdedTasks(
  db: EntityManager,
  workspaceId: number,
  { id, kind, from, to }: RelationshipDefinition,
): Promise<string[]> {
  const sides = [
    { name: from.name, isSingle: kind.endsWith('_to_one'), count: countCrowded('from_id') },
    { name: to.name, isSingle: kind.startsWith('one_to_'), count: countCrowded('to_id') },
  ];
  const reasons: string[] = [];
  for (const { name, count } of sides.filter(({ isSingle }) => isSingle)) {
    const crowded = await number(db, count, [workspaceId, id]);
    const tasks = `${plural(crowded, 'task')} ${crowded === 1 ? 'holds' : 'hold'} several`;
    if (crowded > 0) reasons.push(`relationship ${id} cannot become ${kind}: under ${name}, ${tasks}`);
  }
  return reasons;
}

const countLinks = 'SELECT count(*) FROM links WHERE workspace_id = $1 AND relationship_id = $2';

const countCrowded = (column: 'from_id' | 'to_id'): string => `
  SELECT count(*) FROM (
    SELECT FROM links WHERE workspace_id = $1 AND relationship_id = $2 GROUP BY ${column} HAVING count(*) > 1
  ) crowded`;

async function number(db: EntityManager, text: string, values: readonly unknown[]): Promise<number> {
  const [row] = await db.query<{ count: string }[]>(text, [...values]);
  return Number(row?.count);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
