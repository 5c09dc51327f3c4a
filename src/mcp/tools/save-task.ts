import { type EntityManager } from 'typeorm';
import { type StatusChange } from '../../checklists/checklists.service.js';
import { itemStatuses } from '../../common/column-values.js';
import { readPrecondition } from '../../tasks/entity-tag.js';
import { invalidField } from '../../common/field-errors.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { type Write } from '../../tasks/write.js';
import { type Rehearsal } from '../../tasks/write-task.js';
import { CHECKLIST } from '../../workflows/model/narrowing.js';
import { requireUniqueId } from '../../workflows/model/workspace.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Arguments, textIn } from '../arguments.js';
import { type ToolOutcome, type Tool } from '../tool.js';
import { taskIn, versionOf } from './get-task.js';

export const saveTask: Tool = {
  name: 'save_task',
  description:
    'Creates a task, or changes the keys in `set` and the items in `checklist`, all or nothing. Without a Unique ID, creates a task that gets a number.',
  arguments: {
    workflow: { type: 'string' },
    unique_id: { type: 'string' },
    set: { type: 'object', says: 'Values by key; null is blank.' },
    checklist: { type: 'object', says: `Status by title or id of an item: ${itemStatuses.join(', ')}.` },
    version: { type: 'string', says: 'Saves only if the task still has this version.' },
    dry_run: { type: 'boolean', says: 'Only shows what would change.' },
    key: { type: 'string', says: 'Idempotency key.' },
  },
  required: ['workflow'],
  hints: { writes: true, overwrites: true, creates: true },
  async run({ services, scope }, given) {
    const within = await scope(given.text('workflow'));
    const checklist = given.object('checklist');
    let statusChanges: readonly StatusChange[] = [];
    const extraChanges = checklist && {
      request: checklist,
      async write(tx: EntityManager, current: Scope, taskId: string): Promise<void> {
        statusChanges = await services.checklists.setStatuses(tx, current, taskId, checklist);
      },
    };
    const write = { ...writeOf(within, given), extraChanges };
    if (given.flag('dry_run')) return rehearsed(await services.writer.rehearse(within, write), statusChanges);
    const answer = await services.writer.write(within, write);
    const structured = {
      did: answer.isCreated ? 'created' : 'updated',
      version: versionOf(answer),
      values: { task: await taskIn(answer), checklist: statusChanges },
    };
    return { said: 'Saved; see `did`.', structured };
  },
};

function writeOf(scope: Scope, given: Arguments): Write {
  const set = given.object('set');
  if (!set && !given.object('checklist')) throw invalidField('set', 'is required');
  const payload = new Map<string, Json>(set);
  const id = given.optional('unique_id');
  if (id !== undefined) {
    requireUniqueId(scope.workflow);
    const name = scope.workflow.schema.uniqueId?.name ?? '';
    const other = payload.get(name);
    if (other !== undefined && textIn(other)?.normalize() !== id.normalize())
      throw invalidField(name, 'contradicts unique_id, which names the task: leave it out');
    payload.set(name, id);
  }
  const version = given.optional('version');
  const precondition = readPrecondition(version === undefined ? {} : { 'if-match': version });
  // A call without `set` only ticks items, so it must not create a task.
  return { verb: set ? 'upsert' : 'update', payload, precondition, idempotencyKey: given.key };
}

function rehearsed({ before, after }: Rehearsal, statusChanges: readonly StatusChange[]): ToolOutcome {
  const read = (json: string): Record<string, unknown> => JSON.parse(json) as Record<string, unknown>;
  const from = before ? read(before.json) : {};
  const changed = Object.entries(read(after.json)).filter(([key, to]) =>
    before
      ? JSON.stringify(from[key]) !== JSON.stringify(to)
      : to !== null && !(Array.isArray(to) && to.length === 0),
  );
  const would = before ? (changed.length + statusChanges.length > 0 ? 'update' : 'nothing') : 'create';
  const values = changed.map(([key, to]) => [key, { from: from[key] ?? null, to }] as const);
  const changes = [...changed.map(([key]) => key), ...(statusChanges.length > 0 ? [CHECKLIST] : [])];
  return {
    said: 'Nothing was changed: this is a dry run.',
    structured: { would, changes, values: { changes: Object.fromEntries(values), checklist: statusChanges } },
  };
}
