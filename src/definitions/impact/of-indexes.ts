import { type EntityManager } from 'typeorm';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workspace/definition.js';
import { countTasksWhere } from '../migrate-data/in-chunks.js';
import { indexKindOf, isTextField } from '../migrate-data/index-fields.js';
import { type ChangedFields } from './changed-fields.js';
import { agree, type Effect, effectOf, plural } from './effect.js';

/** What the indexes cost that a workflow gets. */
export async function impactOfIndexes(
  db: EntityManager,
  changed: ChangedFields,
  merged: WorkspaceDefinition,
): Promise<Effect[]> {
  const { workspaceId, id: workflowId, slug } = changed.workflow;
  const wanted = merged.workflows.find(({ id }) => id === slug);
  const begun = wanted ? [...begunOrders(changed, wanted), ...begunWords(changed, wanted)] : [];
  if (begun.length === 0) return [];
  const count = await countTasksWhere(db, { workspaceId, workflowId });
  const tasks = `${plural(count, 'task')} ${agree(count, 'comes', 'come')}`;
  return begun.flatMap(({ what, name, index, cost }) =>
    effectOf('notes', what, name, count, `${tasks} into ${index}, while others write; ${cost} more`),
  );
}

/** An index that is filled behind an apply. */
interface BegunIndex {
  readonly what: 'field' | 'workflow';
  readonly name: string;
  readonly index: string;
  readonly cost: string;
}

function begunOrders({ fields }: ChangedFields, { id, fields: wanted }: WorkflowDefinition): BegunIndex[] {
  const known = new Map(
    fields.map(({ field: { type, settings }, wanted }) => [
      wanted,
      indexKindOf({ type, index: settings['index'] }),
    ]),
  );
  return wanted
    .filter((field) => indexKindOf(field) && indexKindOf(field) !== known.get(field))
    .map(({ name }) => ({
      what: 'field',
      name: `${id} / ${name}`,
      index: 'its index',
      cost: 'each write then costs up to 8 %',
    }));
}

/** Also where the texts are others than before. */
function begunWords({ workflow, fields }: ChangedFields, { id, search }: WorkflowDefinition): BegunIndex[] {
  const isAnew = fields.some(({ field, wanted }) => isTextField(field) !== isTextField(wanted));
  if (search !== true || (workflow.search && !isAnew)) return [];
  const cost = 'each write of a text then costs about a quarter';
  return [{ what: 'workflow', name: id, index: 'its index of words', cost }];
}
