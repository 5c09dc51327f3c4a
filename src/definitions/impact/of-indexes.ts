import { type EntityManager } from 'typeorm';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { countTasks } from '../migrate-data/in-chunks.js';
import { indexKindOf } from '../migrate-data/index-fields.js';
import { type ChangedFields } from './changed-fields.js';
import { agree, type Effect, effectOf, plural } from './effect.js';

/** What the indexes cost that a workflow gets. */
export async function impactOfIndexes(
  db: EntityManager,
  { workflow: { workspaceId, id: workflowId, slug }, fields }: ChangedFields,
  merged: WorkspaceDefinition,
): Promise<Effect[]> {
  const known = new Map(
    fields.map(({ field: { type, settings }, wanted }) => [
      wanted,
      indexKindOf({ type, index: settings['index'] }),
    ]),
  );
  const wanted = merged.workflows.find(({ id }) => id === slug)?.fields ?? [];
  const begun = wanted.filter((field) => indexKindOf(field) && indexKindOf(field) !== known.get(field));
  if (begun.length === 0) return [];
  const count = await countTasks(db, { workspaceId, workflowId });
  const message = `${plural(count, 'task')} ${agree(count, 'comes', 'come')} into its index, while others write; each write then costs up to 8 % more`;
  return begun.flatMap(({ name }) => effectOf('notes', 'field', `${slug} / ${name}`, count, message));
}
