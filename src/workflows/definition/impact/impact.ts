import { type EntityManager } from 'typeorm';
import { LinkEntity } from '../../../tasks/links/link.entity.js';
import { TaskEntity } from '../../../tasks/store/task.entity.js';
import { type Draft } from '../draft.js';
import { type Effect, effectOf } from '../../model/effect.js';
import { agree, plural } from '../../../common/wording.js';
import { impactOfFields } from './of-fields.js';
import { impactOfUsers } from './of-users.js';
import { impactOfRemovals } from './of-removals.js';
import { kinds } from '../kinds.js';
import { impactOfWaiting } from './of-waiting.js';
import { countOf } from '../migrate-data/in-chunks.js';
import { StageEntity } from '../../model/entities/stage.entity.js';
import { type RelationshipDefinition } from '../../model/relationship-definition.js';
import { type StageDefinition } from '../../model/stage-definition.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type WorkspaceRows } from '../../model/workspace-rows.js';

/** Counts the effects of the changes on the stored data, without writing. */
export async function impactOf(db: EntityManager, draft: Draft): Promise<Effect[]> {
  const ofKinds: Effect[] = [];
  for (const kind of kinds) ofKinds.push(...((await kind.effects?.(db, draft)) ?? []));
  return [
    ...(await impactOfUsers(db, draft)),
    ...ofKinds,
    ...(await impactOfStages(db, draft)),
    ...(await impactOfRemovals(db, draft)),
    ...(await impactOfWaiting(db, draft)),
    ...(await impactOfFields(db, draft)),
    ...(await impactOfRelationships(db, draft)),
  ];
}

/** Counts the tasks in stages that become or cease to be end stages, and in stages that become locked. */
async function impactOfStages(db: EntityManager, { rows, merged, matches }: Draft): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const { id, slug } of rows.workflows) {
    const elements = merged.workflows.find((workflow) => workflow.id === slug)?.stages ?? [];
    for (const element of elements) {
      const stage = matches.rowOf(StageEntity, element);
      const becomes = stage ? becoming(stage, element) : [];
      if (!stage || becomes.length === 0) continue;
      const inStage = { workspaceId: stage.workspaceId, workflowId: id, stageId: stage.id };
      const count = await db.countBy(TaskEntity, inStage);
      for (const state of becomes) {
        const message = `${plural(count, 'task')} ${agree(count, 'is', 'are')} ${state}`;
        effects.push(...effectOf('notes', 'stage', `${slug} / ${element.name}`, count, message));
      }
    }
  }
  return effects;
}

/** What a change of a stage means for the tasks in it. */
function becoming({ isEnd, settings }: StageEntity, { end, change }: StageDefinition): string[] {
  const isLocking = change !== undefined && settings['change'] === undefined;
  const open = Array.isArray(change) ? `, except ${change.join(', ')}` : '';
  return [
    ...(isEnd === end ? [] : [end ? 'no longer active' : 'active again']),
    ...(isLocking ? [`locked at once: only actions change them${open}`] : []),
  ];
}

/** Counts the effects on the links of relationships that are kept but change. */
async function impactOfRelationships(db: EntityManager, { rows, merged }: Draft): Promise<Effect[]> {
  const effects: Effect[] = [];
  const moved = new Set(movedRelationships(rows, merged));
  for (const { workspaceId, id, kind } of rows.relationships) {
    const wanted = merged.relationships.find((relationship) => relationship.id === id);
    if (moved.has(id)) effects.push(...(await movedLinks(db, workspaceId, id)));
    else if (wanted && wanted.kind !== kind) effects.push(...(await crowdedTasks(db, workspaceId, wanted)));
  }
  return effects;
}

/** The relationships that will join other workflows; their existing links cannot be kept. */
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
  const count = await db.countBy(LinkEntity, { workspaceId, relationshipId: id });
  const held = `it will join other workflows and loses ${plural(count, 'link')}`;
  return effectOf('loses', 'relationship', id, count, held);
}

/** Counts the tasks with several links where only one will be allowed. Only people can decide which one to keep. */
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

const countCrowded = (column: 'from_id' | 'to_id'): string => `
  SELECT count(*) FROM (
    SELECT FROM links WHERE workspace_id = $1 AND relationship_id = $2 GROUP BY ${column} HAVING count(*) > 1
  ) crowded`;
