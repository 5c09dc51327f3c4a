import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../tasks/store/checklist-item.entity.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { hinted, say } from '../common/message.js';
import { listed } from '../common/wording.js';
import { idempotentRequest, type IdempotentRequest, once } from '../common/http/idempotency.js';
import { assertDefinition } from '../tasks/store/assert-definition.js';
import { addItems, tooManyItems } from './checklist-items.js';
import { findTaskKey } from '../tasks/store/task-keys.js';
import { lockTaskToEdit } from '../tasks/store/task.repository.js';
import { Invalid } from '../workflows/fields/invalid.js';
import { notAStage } from '../workflows/fields/properties/built-ins.js';
import { randomText } from '../common/random-id.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { requireAddsOfItems, requireTicks } from '../workflows/model/allowed.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { noItem } from '../workflows/model/not-found.js';
import { type TaskName, textOfName } from '../workflows/model/task-name.js';
import { parseItem, type ChecklistItem, serializeItem, type StoredItem } from './checklist-item.dto.js';
import { type Scope } from '../workflows/model/scope.js';

export interface StatusChange extends Readonly<Pick<StoredItem, 'id' | 'title'>> {
  readonly from: StoredItem['status'];
  readonly to: StoredItem['status'];
}

type Write = (tx: EntityManager, current: Scope) => Promise<StoredItem>;

@Injectable()
export class ChecklistsService {
  constructor(private readonly work: UnitOfWork) {}

  /**
   * Lists the items of all stages, or of `stage`. Items from the template come first, and then the others in
   * the order of creation.
   */
  async list(scope: Scope, task: TaskName, stage: string | undefined): Promise<ChecklistItem[]> {
    return this.work.read(scope, async (db, current) => {
      const stageId = stage === undefined ? undefined : current.workflow.schema.stages.named(stage)?.id;
      if (stage !== undefined && stageId === undefined)
        throw invalidField('Stage', notAStage(stage, current.workflow.schema.stages));
      const where = {
        ...(await findTaskKey(db, current, task)),
        ...(stageId !== undefined && { stageId }),
      };
      const items = await db.find(ChecklistItemEntity, { where, order: { place: 'ASC' } });
      return items.map((item) => serializeItem(current.workflow, item));
    });
  }

  async read(scope: Scope, task: TaskName, id: string): Promise<ChecklistItem> {
    return this.work.read(scope, async (db, current) => {
      const where = { ...(await findTaskKey(db, current, task)), id };
      const item = await db.findOneBy(ChecklistItemEntity, where);
      if (!item) throw noItem(task, id);
      return serializeItem(current.workflow, item);
    });
  }

  async add(
    scope: Scope,
    task: TaskName,
    payload: JsonObject,
    idempotencyKey: string | undefined,
  ): Promise<ChecklistItem> {
    requireAddsOfItems(scope);
    const asked = { route: 'checklist_items', path: [textOfName(task)], body: payload };
    const request = idempotentRequest(scope, idempotencyKey, asked);
    const insert: Write = async (tx, current) => {
      const { workspaceId, workflowId, taskId } = await lockTaskToEdit(tx, current, task);
      const { change, errors } = parseItem(current.workflow, payload, { isNew: true });
      errors.throwIfAny();
      const { title = '', status = 'Blank', stageId = 0, assigneeId = null } = change;
      const item = { workspaceId, workflowId, taskId, id: randomText(12), title, status, stageId, assigneeId, isEditable: true }; // prettier-ignore
      if (!(await addItems(tx, [item]))) throw invalidField('base', tooManyItems);
      return item;
    };
    return this.write(scope, insert, request);
  }

  async change(scope: Scope, task: TaskName, id: string, payload: JsonObject): Promise<ChecklistItem> {
    requireTicks(scope);
    return this.write(scope, async (tx, current) => {
      const item = await lockItem(tx, current, task, id);
      const { change, errors } = parseItem(current.workflow, payload, { isNew: false });
      const isTickOnly = current.viewer?.narrowing?.fields !== undefined;
      const barred = isTickOnly ? besideStatus : item.isEditable ? [] : ofTemplate;
      const why = isTickOnly ? 'may not be changed by this key, which only ticks items' : 'cannot be changed on an item from a checklist template'; // prettier-ignore
      for (const [name, key] of barred)
        if (change[key] !== undefined && change[key] !== item[key]) errors.add(name, why);
      errors.throwIfAny();
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      if (Object.keys(given).length > 0) await tx.update(ChecklistItemEntity, keyOf(item), given);
      return { ...item, ...given };
    });
  }

  /**
   * Sets the statuses of items. `statuses` maps the title or id of an item to its new status. The caller must
   * have checked that the viewer may edit the task. Returns the changes; throws all errors at once.
   */
  async setStatuses(
    tx: EntityManager,
    scope: Scope,
    taskId: string,
    statuses: JsonObject,
  ): Promise<StatusChange[]> {
    requireTicks(scope);
    await assertDefinition(tx, scope.workflow);
    const { workspaceId, workflow } = scope;
    const where = { workspaceId, workflowId: workflow.id, taskId };
    const items = await tx.find(ChecklistItemEntity, { where, order: { place: 'ASC' }, lock: { mode: 'pessimistic_write' } }); // prettier-ignore
    const errors = new FieldErrors();
    const changes: StatusChange[] = [];
    for (const [name, given] of statuses) {
      const item = itemNamed(items, name);
      const read = parseItem(workflow, new Map([['status', given]]), { isNew: false });
      const fault = item instanceof Invalid ? item.said : read.errors.fields[0]?.[1][0];
      const { status } = read.change;
      if (fault !== undefined) errors.add(name, fault);
      if (item instanceof Invalid || status === undefined || status === item.status) continue;
      changes.push({ id: item.id, title: item.title, from: item.status, to: status });
    }
    errors.throwIfAny();
    for (const { id, to } of changes) await tx.update(ChecklistItemEntity, { ...where, id }, { status: to });
    return changes;
  }

  async remove(scope: Scope, task: TaskName, id: string): Promise<void> {
    requireAddsOfItems(scope);
    await this.write(scope, async (tx, current) => {
      const item = await lockItem(tx, current, task, id);
      if (!item.isEditable) throw invalidField('base', 'Items from a checklist template cannot be deleted');
      await tx.delete(ChecklistItemEntity, keyOf(item));
      return item;
    });
  }

  /** Runs work in a transaction. The definition cannot change until the transaction ends. */
  private async write(scope: Scope, work: Write, request?: IdempotentRequest): Promise<ChecklistItem> {
    return this.work.transaction(scope, (tx, current) =>
      once(tx, request, async () => {
        await assertDefinition(tx, current.workflow);
        return serializeItem(current.workflow, await work(tx, current));
      }),
    );
  }
}

/** What nobody can change in an item from a template. */
const ofTemplate = [['title', 'title'], ['Stage', 'stageId']] as const; // prettier-ignore
/** If an API key may only tick items, the key cannot change these properties of any item. */
const besideStatus = [...ofTemplate, ['Assigned To', 'assigneeId']] as const;

const keyOf = ({ workspaceId, workflowId, taskId, place }: ChecklistItemEntity) => ({
  workspaceId,
  workflowId,
  taskId,
  place,
});

/** Finds the item with this title or id. Unless exactly one item matches, returns the reason as `Invalid`. */
function itemNamed(items: readonly ChecklistItemEntity[], name: string): ChecklistItemEntity | Invalid {
  const found = items.filter(({ id, title }) => id === name || title === name);
  const [item] = found;
  if (item && found.length === 1) return item;
  const ids = listed(found.map(({ id }) => id));
  return new Invalid(hinted(notAnItem, item ? say`; several have this title, so use an id: ${ids}` : ''));
}

const notAnItem = 'does not name exactly one item of this checklist';

async function lockItem(
  tx: EntityManager,
  scope: Scope,
  task: TaskName,
  id: string,
): Promise<ChecklistItemEntity> {
  // If the user is restricted, locks the task, so that the right to edit it lasts until the transaction ends.
  const find = scope.bound ? lockTaskToEdit : findTaskKey;
  const { workspaceId, workflowId, taskId } = await find(tx, scope, task);
  const where = { workspaceId, workflowId, taskId, id };
  const item = await tx.findOne(ChecklistItemEntity, { where, lock: { mode: 'pessimistic_write' } });
  if (!item) throw noItem(task, id);
  return item;
}
