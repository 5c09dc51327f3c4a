import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../entities/checklist-item.entity.js';
import { invalidField } from '../lib/field-errors.js';
import { idempotentRequest, type IdempotentRequest, once } from '../http/idempotency.js';
import { assertDefinition } from '../task-store/assert-definition.js';
import { findTaskKey, lockTaskToEdit } from '../task-store/task-keys.js';
import { notAStage } from '../schema/properties/built-ins.js';
import { randomText } from '../lib/random-id.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { requireChecklist } from '../workspace/allowed.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { noItem } from '../workspace/not-found.js';
import { type TaskName, textOfName } from '../workspace/task-name.js';
import { parseItem, type ChecklistItem, serializeItem, type StoredItem } from './checklist-item.dto.js';
import { type Scope } from '../workspace/scope.js';

/** Changes an item, and returns it as it is afterwards. */
type Write = (tx: EntityManager, current: Scope) => Promise<StoredItem>;

/** The checklist of one task. */
@Injectable()
export class ChecklistsService {
  constructor(private readonly work: UnitOfWork) {}

  /** The items in the order of the template, then of their creation; those of one stage where it is named. */
  async list(scope: Scope, task: TaskName, stage: string | undefined): Promise<ChecklistItem[]> {
    return this.work.read(scope, async (db, current) => {
      const stageId = stage === undefined ? undefined : current.workflow.schema.stages.named(stage)?.id;
      if (stage !== undefined && stageId === undefined)
        throw invalidField('Stage', notAStage(current.workflow.schema.stages));
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

  /** Adds an item behind all others. */
  async add(
    scope: Scope,
    task: TaskName,
    payload: JsonObject,
    idempotencyKey: string | undefined,
  ): Promise<ChecklistItem> {
    const asked = { route: 'checklist_items', path: [textOfName(task)], body: payload };
    const request = idempotentRequest(scope, idempotencyKey, asked);
    const insert: Write = async (tx, current) => {
      const { workspaceId, workflowId, taskId } = await lockTaskToEdit(tx, current, task);
      const { change, errors } = parseItem(current.workflow, payload, { isNew: true });
      errors.throwIfAny();
      const { title = '', status = 'Blank', stageId = 0, assigneeId = null } = change;
      const id = randomText(12);
      const item = {
        workspaceId,
        workflowId,
        taskId,
        id,
        title,
        status,
        stageId,
        assigneeId,
        isEditable: true,
      };
      await tx.insert(ChecklistItemEntity, item);
      return item;
    };
    return this.write(scope, insert, request);
  }

  async change(scope: Scope, task: TaskName, id: string, payload: JsonObject): Promise<ChecklistItem> {
    return this.write(scope, async (tx, current) => {
      const item = await lockItem(tx, current, task, id);
      const { change, errors } = parseItem(current.workflow, payload, { isNew: false });
      if (!item.isEditable) {
        const fixed = 'cannot be changed on an item from a checklist template';
        if (change.title !== undefined && change.title !== item.title) errors.add('title', fixed);
        if (change.stageId !== undefined && change.stageId !== item.stageId) errors.add('Stage', fixed);
      }
      errors.throwIfAny();
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      if (Object.keys(given).length > 0)
        await tx.update(ChecklistItemEntity, { workspaceId: item.workspaceId, id }, given);
      return { ...item, ...given };
    });
  }

  async remove(scope: Scope, task: TaskName, id: string): Promise<void> {
    await this.write(scope, async (tx, current) => {
      const item = await lockItem(tx, current, task, id);
      if (!item.isEditable) throw invalidField('base', 'Items from a checklist template cannot be deleted');
      await tx.delete(ChecklistItemEntity, { workspaceId: item.workspaceId, id });
      return item;
    });
  }

  /** Does the work in a transaction, by the definition in force until its end. */
  private async write(scope: Scope, work: Write, request?: IdempotentRequest): Promise<ChecklistItem> {
    requireChecklist(scope);
    return this.work.transaction(scope, (tx, current) =>
      once(tx, request, async () => {
        await assertDefinition(tx, current.workflow);
        return serializeItem(current.workflow, await work(tx, current));
      }),
    );
  }
}

async function lockItem(
  tx: EntityManager,
  scope: Scope,
  task: TaskName,
  id: string,
): Promise<ChecklistItemEntity> {
  // Whether a user may edit the task is told by the task as it stays until the end.
  const find = scope.bound ? lockTaskToEdit : findTaskKey;
  const { workspaceId, workflowId, taskId } = await find(tx, scope, task);
  const where = { workspaceId, workflowId, taskId, id };
  const item = await tx.findOne(ChecklistItemEntity, { where, lock: { mode: 'pessimistic_write' } });
  if (!item) throw noItem(task, id);
  return item;
}
