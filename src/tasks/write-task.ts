import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { pauses } from '../../packages/fair/turn.js';
import { Uploads } from './files/uploads.js';
import { idempotentRequest, type IdempotentRequest, isAnswered, once } from '../common/http/idempotency.js';
import { type TaskAnswer } from '../common/http/replies.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { newFilesOf } from '../workflows/fields/task-change.js';
import { parseTask } from '../workflows/fields/parse-task.js';
import { assertDefinition } from './store/assert-definition.js';
import { type UploadedFile } from './files/blobs.repository.js';
import { findNamedTask } from './store/task.repository.js';
import { type Written } from './store/upsert-task.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Unit, UnitOfWork } from '../workflows/model/unit-of-work.js';
import { answerOf, joinJson, type WholeAnswer } from './answer-task.js';
import { sharedChange, statementChange, writeByStatement, writeTogether } from './write-by-statement.js';
import { validateWrite, writeUnderLock } from './write-under-lock.js';
import { nameIn, type ParsedWrite, type Write } from './write.js';

@Injectable()
export class TaskWriter {
  constructor(
    private readonly work: UnitOfWork,
    private readonly uploads: Uploads,
  ) {}

  async write(scope: Scope, write: Write): Promise<TaskAnswer> {
    const { payload, extraChanges } = write;
    const body = extraChanges ? [payload, extraChanges.request] : payload;
    const request = idempotentRequest(scope, write.idempotencyKey, { route: 'tasks', body });
    const uploaded = new Map<string, UploadedFile>();
    try {
      return await this.work.begin(scope, async (unit) => {
        const parsed = await parseTask(unit.scope.workflow.schema, write.payload, pauses(unit.scope));
        // The spread comes last, because Node.js 20 takes 1 µs for each property that it adds after a spread.
        const parsedWrite = { parsed, uploaded, ...write };
        await this.fetchFiles(unit, parsedWrite, request);
        if (request ?? extraChanges) return this.writeInTransaction(unit, parsedWrite, request);
        return answerOf(unit.db, unit.scope, await this.writeAmongOthers(unit, parsedWrite));
      });
    } finally {
      // If the write was refused or had an answer already, drops the files, because no task refers to them.
      if (uploaded.size > 0) await this.uploads.dropUnnamed(scope.workspaceId, [...uploaded.values()]);
    }
  }

  /** Returns the task before and after a write, but stores nothing. Refuses new files. */
  async rehearse(scope: Scope, write: Write): Promise<Rehearsal> {
    return this.work.begin(scope, (unit) =>
      unit.rehearse(async (tx) => {
        await assertDefinition(tx, unit.scope.workflow);
        const parsed = await parseTask(unit.scope.workflow.schema, write.payload, pauses(unit.scope));
        const [file] = newFilesOf(parsed.change);
        const { files } = unit.scope.workflow.schema;
        if (file) throw invalidField(files.get(file.field)?.name ?? '', 'cannot have new files in a dry run');
        const parsedWrite = { ...write, parsed, uploaded: new Map<string, UploadedFile>() };
        const name = nameIn(parsedWrite);
        const task = name === null ? undefined : await findNamedTask(tx, unit.scope, name);
        const before = task && (await joinJson(await answerOf(tx, unit.scope, { task, isCreated: false })));
        const written = await writeUnderLock(tx, unit.scope, parsedWrite);
        await write.extraChanges?.write(tx, unit.scope, written.task.id);
        return { before, after: await joinJson(await answerOf(tx, unit.scope, written)) };
      }),
    );
  }

  /** Writes a task; shares a statement with simultaneous writes if the payload allows that. */
  private writeAmongOthers({ scope, ...unit }: Unit, write: ParsedWrite): Promise<Written> {
    const row = statementChange(scope, write);
    const runSingle = (): Promise<Written> => unit.write((db) => writeTask(db, scope, write, row));
    const shared = row && sharedChange(scope.workflow.schema, row);
    return shared ? writeTogether(this.work, scope, shared, runSingle) : runSingle();
  }

  /** Writes in one transaction. Stores the answer under the idempotency key, or returns the stored answer. */
  private async writeInTransaction(
    { scope, ...unit }: Unit,
    write: ParsedWrite,
    request: IdempotentRequest | undefined,
  ): Promise<TaskAnswer> {
    return unit.transaction((tx) =>
      once(tx, request, async () => {
        const written = await writeTask(tx, scope, write);
        await write.extraChanges?.write(tx, scope, written.task.id);
        return joinJson(await answerOf(tx, scope, written));
      }),
    );
  }

  /** Checks the write without its new files, and then stores these files. */
  private async fetchFiles(
    { scope, db }: Unit,
    write: ParsedWrite,
    request: IdempotentRequest | undefined,
  ): Promise<void> {
    const { change } = write.parsed;
    if (newFilesOf(change).length === 0) return;
    this.uploads.requireSizes(change);
    if (request && (await isAnswered(db, request))) return;
    await validateBeforehand(db, scope, write);
    await this.uploads.storeNew(scope, change, write.uploaded);
  }
}

export interface Rehearsal {
  readonly before: WholeAnswer | undefined;
  readonly after: WholeAnswer;
}

/** Writes a task without locking it first if that is possible, otherwise under the lock of its row. */
export async function writeTask(
  db: EntityManager,
  scope: Scope,
  write: ParsedWrite,
  row = statementChange(scope, write),
): Promise<Written> {
  const written = row && (await writeByStatement(db, scope, row));
  return written ?? writeUnderLock(db, scope, write);
}

/** Checks the write before any file is stored; throws if the write is refused. */
async function validateBeforehand(db: EntityManager, scope: Scope, write: ParsedWrite): Promise<void> {
  const { change } = write.parsed;
  const name = nameIn(write);
  const task = name === null ? undefined : await findNamedTask(db, scope, name);
  const uploaded = new Map(newFilesOf(change).map(({ key }) => [key, notYetUploaded]));
  await validateWrite(db, scope, { ...write, uploaded }, task, new FieldErrors());
}

/** A placeholder for a file whose bytes have not been stored yet. */
export const notYetUploaded: UploadedFile = {
  file: { blobId: '', filename: '', contentType: '' },
  size: 0,
  sha256: Buffer.alloc(0),
};
