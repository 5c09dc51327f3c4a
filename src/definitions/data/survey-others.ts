import { type EntityManager } from 'typeorm';
import { findByName } from '../gone.js';
import { type Draft } from './draft.js';
import { agree, type Effect, effectOf, plural } from './effect.js';
import { countOf } from './task-place.js';

/** The tasks in stages that become end stages or stop being ones. */
export async function surveyEnds(db: EntityManager, { rows, merged }: Draft): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const { id, slug } of rows.workflows) {
    const elements = merged.workflows.find((workflow) => workflow.id === slug)?.stages ?? [];
    const find = findByName(
      rows.stages.filter(({ workflowId }) => workflowId === id),
      elements,
    );
    for (const element of elements) {
      const stage = find(element);
      if (!stage || stage.isEnd === element.end) continue;
      const count = await countOf(db, countInStage, [stage.workspaceId, id, stage.id]);
      const active = element.end ? 'no longer active' : 'active again';
      const message = `${plural(count, 'task')} ${agree(count, 'is', 'are')} ${active}`;
      effects.push(...effectOf('notes', 'stage', `${slug} / ${element.name}`, count, message));
    }
  }
  return effects;
}

/** The tasks of users who are no longer active. */
export async function surveyUsers(db: EntityManager, { rows, stored, merged }: Draft): Promise<Effect[]> {
  const effects: Effect[] = [];
  const active = new Set(stored?.users.filter((user) => user.active).map(({ email }) => email.toLowerCase()));
  const ids = new Map(rows.users.map(({ id, email }) => [email.toLowerCase(), id]));
  for (const { email, was, active: stays } of merged.users) {
    const former = (was ?? email).toLowerCase();
    if (stays || !active.has(former)) continue;
    const count = await countOf(db, countAssigned, [
      rows.workspace.id,
      rows.workflows.map(({ id }) => id),
      ids.get(former),
    ]);
    const message = `${plural(count, 'task')} ${agree(count, 'is', 'are')} assigned to them, and ${agree(count, 'stays', 'stay')} so`;
    effects.push(...effectOf('notes', 'user', email, count, message));
  }
  return effects;
}

const countInStage =
  'SELECT count(*) FROM tasks WHERE workspace_id = $1 AND workflow_id = $2 AND stage_id = $3';

const countAssigned =
  'SELECT count(*) FROM tasks WHERE workspace_id = $1 AND workflow_id = ANY($2) AND assignee_id = $3';
