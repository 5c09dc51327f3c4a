import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { toJson } from '../../../packages/exact-json/json.js';
import { sourceOf } from '../../events/event-names.js';
import { notFound, Refusal } from '../../lib/errors.js';
import { say } from '../../lib/message.js';
import { type LinkChange } from '../../links/find-links.js';
import { withBareTaskLocked } from '../../links/lock-links.js';
import { replaceLinks } from '../../links/replace-links.js';
import { type Stored } from '../../schema/field-type.js';
import { type Link } from '../../schema/task-schema.js';
import { filesIn } from '../../schema/file-changes.js';
import { blankTask, type TaskView } from '../../schema/task-view.js';
import { assertDefinition } from '../../task-store/assert-definition.js';
import { mayAdminister } from '../../workspace/allowed.js';
import { Scope } from '../../workspace/scope.js';
import { UnitOfWork } from '../../workspace/unit-of-work.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type RecordedDeletion, findDeletion, keptFiles, readBin, writeRestored } from './bin.repository.js';

/** A deleted task in its last state. */
export interface DeletedTask {
  readonly task: TaskView;
  readonly deletedAt: Date;
  /** The internal id of the user who deleted it; undefined if no user did. */
  readonly deletedBy: string | undefined;
}

/** Deleted tasks, and the place after which there are more. */
export interface Bin {
  readonly tasks: readonly DeletedTask[];
  readonly next: string | undefined;
}

/** A restored task, and the names of keys that are incomplete. */
export interface Restored {
  readonly task: TaskView;
  readonly left: readonly string[];
}

/** The tasks deleted within 30 days, read from the events of their deletions: nothing else is stored. */
@Injectable()
export class BinService {
  constructor(private readonly work: UnitOfWork) {}

  /** The deleted tasks for an administrator of the workflow: the last deleted first, or those before a place. */
  list(scope: Scope, before: string, limit: number): Promise<Bin> {
    if (!mayAdminister(scope)) throw notFound();
    return this.work.read(scope, async (db, { workflow }) => {
      await assertDefinition(db, workflow);
      const { rows, next } = await readBin(db, workflow, before, limit);
      return { tasks: rows.map((deletion) => deletedTask(workflow, deletion)), next };
    });
  }

  /** The deleted task with this public id, for its deleter and for administrators of the workflow. */
  find(scope: Scope, publicId: string): Promise<DeletedTask> {
    return this.work.read(scope, async (db, current) =>
      deletedTask(current.workflow, await deletionOf(db, current, publicId)),
    );
  }

  /** Restores that task silently; 409 if another task has its Unique ID by now. */
  restore(scope: Scope, publicId: string): Promise<Restored> {
    return this.work.transaction(scope.silenced('bin'), async (tx, current) => {
      const { workflow } = current;
      const deletion = await deletionOf(tx, current, publicId);
      const { task, blobIds } = await withKeptFiles(tx, workflow, fittingTask(workflow, deletion));
      const isActive = !workflow.schema.stages.get(task.stageId).isEnd;
      const restored = { ...task, taskId: deletion.taskId ?? '', isActive, blobIds };
      if (!(await writeRestored(tx, workflow, restored))) throw taken(task);
      const unlinked = await linkAgain(tx, workflow, restored.taskId, deletion);
      return { task, left: [...leftOf(workflow, deletion, task), ...unlinked] };
    });
  }
}

async function deletionOf(db: EntityManager, scope: Scope, publicId: string): Promise<RecordedDeletion> {
  await assertDefinition(db, scope.workflow);
  const deletion = await findDeletion(db, scope.workflow, publicId);
  const isOwn = deletion && sourceOf(deletion.origin).user === scope.viewer?.userId;
  if (!deletion || !(isOwn || mayAdminister(scope))) throw notFound();
  return deletion;
}

const taken = ({ uniqueValue }: TaskView): Refusal =>
  new Refusal(
    'conflict',
    uniqueValue === null
      ? 'This task has already been restored.'
      : say`There is a task ${uniqueValue} again: change its Unique ID or delete it, then restore this one.`,
  );

function deletedTask(workflow: Workflow, deletion: RecordedDeletion): DeletedTask {
  const { happenedAt: deletedAt, origin } = deletion;
  return { task: fittingTask(workflow, deletion), deletedAt, deletedBy: sourceOf(origin).user };
}

/** The task under the present definition: without values that no longer fit, in the first stage if its own is gone. */
function fittingTask({ schema }: Workflow, deletion: RecordedDeletion): TaskView {
  const { publicId, uniqueValue, stageFrom, assigneeFrom, valuesFrom, version } = deletion;
  const former = { ...blankTask, fieldValues: (valuesFrom ?? {}) as TaskView['fieldValues'] };
  const fitting = schema.properties.flatMap((property): [string, Stored][] => {
    const { fieldId = '' } = property;
    const stored = former.fieldValues[fieldId];
    return stored !== undefined && isReadable(() => property.repeats?.(toJson(property.serialize(former)), former))
      ? [[fieldId, stored]]
      : []; // prettier-ignore
  });
  const stage = schema.stages.all.find(({ id }) => id === stageFrom) ?? schema.stages.initial;
  return {
    ...former,
    publicId: publicId ?? '',
    uniqueValue,
    stageId: stage.id,
    assigneeId: schema.users.get(assigneeFrom ?? '')?.id ?? null,
    version: Number(version),
    fieldValues: Object.fromEntries(fitting),
  };
}

/** A value stored by a field of another type may be unreadable for the present type. */
function isReadable(repeats: () => boolean | undefined): boolean {
  try {
    return repeats() === true;
  } catch {
    return false;
  }
}

/** The task without files whose bytes are gone, and the ids of its remaining files. */
async function withKeptFiles(
  tx: EntityManager,
  { workspaceId, schema }: Workflow,
  task: TaskView,
): Promise<{ readonly task: TaskView; readonly blobIds: readonly string[] }> {
  const wanted = [...schema.files.keys()].map((id) => [id, filesIn(task.fieldValues[id])] as const);
  const idsOf = (lists: typeof wanted): string[] =>
    lists.flatMap(([, files]) => files.map(({ blobId }) => blobId));
  const kept = await keptFiles(tx, workspaceId, idsOf(wanted));
  const held = wanted.map(([id, files]) => [id, files.filter(({ blobId }) => kept.has(blobId))] as const);
  const others = Object.entries(task.fieldValues).filter(([id]) => !schema.files.has(id));
  const fieldValues = Object.fromEntries([...others, ...held.filter(([, files]) => files.length > 0)]);
  return { task: { ...task, fieldValues }, blobIds: idsOf(held) };
}

/** The names of fields whose restored value differs from the deleted one. */
function leftOf({ schema }: Workflow, { valuesFrom }: RecordedDeletion, { fieldValues }: TaskView): string[] {
  const lost = Object.entries(valuesFrom ?? {}).flatMap(([id, stored]) =>
    JSON.stringify(stored) === JSON.stringify(fieldValues[id]) ? [] : [id],
  );
  return schema.properties.filter(({ fieldId }) => lost.includes(fieldId ?? '')).map(({ name }) => name);
}

/** Restores ended links whose tasks exist and are not held by others; returns the sides with missing ones. */
async function linkAgain(
  tx: EntityManager,
  workflow: Workflow,
  taskId: string,
  deletion: RecordedDeletion,
): Promise<string[]> {
  const changes = [...workflow.schema.links.values()].flatMap((link): LinkChange[] => {
    const held = (deletion.links ?? []).flatMap(([side, isLinked, uniqueId]) =>
      side === link.side && !isLinked && uniqueId !== null ? [uniqueId] : [],
    );
    return held.length > 0 ? [{ link, as: 'added', references: [...new Set(held)] }] : [];
  });
  if (changes.length === 0) return [];
  // Links the former partners whether or not the restoring user sees them.
  return withBareTaskLocked(tx, new Scope(workflow), { taskId }, changes, async (part, { plan }) => {
    const elsewhere = new Set(plan.displaced.map(({ other }) => other.id));
    const added = plan.added.filter(({ other }) => !elsewhere.has(other.id));
    await replaceLinks(part, workflow, taskId, { added, removed: [], displaced: [] });
    const count = ({ side }: Link): number => added.filter(({ link }) => link.side === side).length;
    return changes
      .filter(({ link, references }) => count(link) < references.length)
      .map(({ link }) => link.name);
  });
}
