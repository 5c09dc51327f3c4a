import { Readable } from 'node:stream';
import { type Request } from 'express';
import { ActionsService } from '../../src/actions/actions.service.js';
import { AttachmentsService } from '../../src/attachments/attachments.service.js';
import { FilesService } from '../../src/attachments/files.service.js';
import { ChecklistsService } from '../../src/checklists/checklists.service.js';
import { CommentsService } from '../../src/comments/comments.service.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { HistoryService } from '../../src/events/history.service.js';
import { ExecutionsService } from '../../src/executions/executions.service.js';
import { type TaskList } from '../../src/common/http/replies.js';
import { RefusedExecution, Refusal } from '../../src/common/errors.js';
import { InvalidFields } from '../../src/common/field-errors.js';
import { english } from '../../src/common/message.js';
import { type JsonObject, type Json } from '../../packages/exact-json/json.js';
import { readJson } from '../../packages/exact-json/read-json.js';
import { LinksService } from '../../src/links/links.service.js';
import { BatchWriter } from '../../src/tasks/batch/batch-writer.js';
import { TaskLists } from '../../src/tasks/list/task-lists.service.js';
import { TasksService } from '../../src/tasks/tasks.service.js';
import { type Write } from '../../src/tasks/write.js';
import { TaskWriter } from '../../src/tasks/write-task.js';
import { noPrecondition } from '../../src/tasks/store/task-row.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { formOf } from '../support/attachments.js';
import { type TestService } from '../support/service.js';
import { Scope } from '../../src/workflows/model/scope.js';
import { type Viewer } from '../../src/workflows/model/known.js';
import { Origin } from '../../src/common/origin.js';

/** The services of a running process, called for a user as a page for them would call them. */
export class Person {
  private constructor(
    private readonly service: TestService,
    private readonly workspaceId: number,
    private readonly viewer: Viewer,
  ) {}

  /** As this user, or as a key, which nothing binds. */
  static async of(service: TestService, workspace: string, email?: string): Promise<Person> {
    const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: workspace });
    if (email === undefined) return new Person(service, id, { keyId: 'key_test' });
    const user = (await service.app.get(Workspaces).get(id)).users.find(email);
    if (!user) throw new Error(`there is no user ${email}`);
    return new Person(service, id, { userId: user.id });
  }

  async scope(slug: string): Promise<Scope> {
    const { workspaceId, viewer } = this;
    const workflow = await this.get(Workspaces).workflow(workspaceId, slug, viewer);
    return new Scope(workflow, viewer, undefined, new Origin({ key: viewer.keyId, user: viewer.userId }));
  }

  async read(slug: string, id: string): Promise<TaskJson> {
    const { json } = await this.get(TasksService).read(await this.scope(slug), id);
    return JSON.parse(await textOf(json)) as TaskJson;
  }

  async list(slug: string, query = '', isActive = false): Promise<{ tasks: TaskJson[]; total?: number }> {
    const request = { origin: '', path: '', query: new URLSearchParams(query), isActive };
    const list = await this.get(TaskLists).read(await this.scope(slug), request);
    return { tasks: await listed(list), ...(list.total !== undefined && { total: list.total }) };
  }

  async upsert(slug: string, payload: object, further: Partial<Write> = {}): Promise<TaskJson> {
    const write: Write = {
      verb: 'upsert',
      payload: toJson(payload),
      precondition: noPrecondition,
      ...further,
    };
    const { json } = await this.get(TaskWriter).write(await this.scope(slug), write);
    return JSON.parse(await textOf(json)) as TaskJson;
  }

  async update(slug: string, payload: object): Promise<TaskJson> {
    return this.upsert(slug, payload, { verb: 'update' });
  }

  async delete(slug: string, id: string): Promise<void> {
    await this.get(TasksService).delete(await this.scope(slug), id, noPrecondition);
  }

  /** Writes rows one by one, or all in one transaction. */
  async batch(slug: string, rows: readonly object[], isAtomic = false): Promise<unknown[]> {
    const writer = this.get(BatchWriter);
    const workflow = await this.scope(slug);
    const numbered = rows.map((row, at) => ({ row: at + 1, content: toJson(row) }));
    if (!isAtomic) return writer.eachOf(workflow)(numbered);
    const options = { isAtomic, isDryRun: false, sync: undefined };
    return [...(await writer.allOf(workflow, numbered, options)).outcomes];
  }

  async links(slug: string, id: string, relationship: string): Promise<TaskJson[]> {
    const path = { task: id, relationship };
    return listed(await this.get(LinksService).list(await this.scope(slug), path, {}, nowhere));
  }

  async link(slug: string, id: string, relationship: string, other: string): Promise<void> {
    const path = { task: id, relationship };
    await this.get(LinksService).add(await this.scope(slug), path, other, noPrecondition);
  }

  async unlink(slug: string, id: string, relationship: string, other: string): Promise<void> {
    const path = { task: id, relationship };
    await this.get(LinksService).remove(await this.scope(slug), path, other, noPrecondition);
  }

  async attach(slug: string, id: string, field: string): Promise<void> {
    const { type, body } = formOf({ filename: 'a.txt' });
    const headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
    const request = Object.assign(Readable.from([body]), { headers, res: {} });
    const options = { precondition: noPrecondition, idempotencyKey: undefined };
    const place = { task: id, field };
    await this.get(AttachmentsService).add(
      await this.scope(slug),
      place,
      options,
      request as unknown as Request,
    );
  }

  async detach(slug: string, id: string, field: string, blobId: string): Promise<void> {
    const place = { task: id, field };
    await this.get(AttachmentsService).remove(await this.scope(slug), place, blobId, noPrecondition);
  }

  async download(blobId: string): Promise<void> {
    const file = await this.get(FilesService).find(this.workspaceId, blobId, this.viewer);
    (await file.read()).destroy();
  }

  async items(slug: string, id: string): Promise<{ readonly id: string }[]> {
    return this.get(ChecklistsService).list(await this.scope(slug), id, undefined);
  }

  async item(slug: string, id: string, item: string): Promise<void> {
    await this.get(ChecklistsService).read(await this.scope(slug), id, item);
  }

  async addItem(slug: string, id: string): Promise<string> {
    const payload = toJson({ title: 'More', Stage: 'New' });
    return (await this.get(ChecklistsService).add(await this.scope(slug), id, payload, undefined)).id;
  }

  async tick(slug: string, id: string, item: string): Promise<void> {
    const payload = toJson({ status: 'Completed' });
    await this.get(ChecklistsService).change(await this.scope(slug), id, item, payload);
  }

  async removeItem(slug: string, id: string, item: string): Promise<void> {
    await this.get(ChecklistsService).remove(await this.scope(slug), id, item);
  }

  async comments(slug: string, id: string): Promise<unknown[]> {
    return listed(await this.get(CommentsService).list(await this.scope(slug), id, {}, nowhere));
  }

  async comment(slug: string, id: string, payload: object = { body: 'Hello' }): Promise<{ author: string }> {
    return this.get(CommentsService).add(await this.scope(slug), id, toJson(payload), undefined);
  }

  async history(slug: string, id: string): Promise<EventJson[]> {
    return listed(await this.get(HistoryService).list(await this.scope(slug), id, {}, nowhere));
  }

  async actions(slug: string, id: string, query: object = {}): Promise<readonly object[]> {
    return this.get(ActionsService).list(await this.scope(slug), id, query);
  }

  async perform(slug: string, id: string, action: string, further: object = {}, waitMs = 0): Promise<string> {
    const payload = toJson({ task_id: id, action_id: action, ...further });
    const options = { idempotencyKey: undefined, waitMs };
    return (await this.get(ExecutionsService).start(await this.scope(slug), payload, options)).id;
  }

  /** How an execution ends that is due. */
  async end(slug: string, id: string): Promise<string> {
    await this.service.settle();
    return (await this.get(ExecutionsService).read(await this.scope(slug), id, 0)).status;
  }

  async executions(slug: string, query: object = {}): Promise<{ readonly id: string }[]> {
    return listed(await this.get(ExecutionsService).list(await this.scope(slug), query, nowhere));
  }

  async cancel(slug: string, id: string): Promise<void> {
    await this.get(ExecutionsService).cancel(await this.scope(slug), id);
  }

  private get<T>(kind: abstract new (...given: never[]) => T): T {
    return this.service.app.get<T>(kind, { strict: false });
  }
}

export type TaskJson = Readonly<Record<string, unknown>>;

export interface EventJson {
  readonly type: string;
  readonly data: { readonly actor: object; readonly changes?: Readonly<Record<string, unknown>> };
}

const nowhere = { origin: '', path: '', query: new URLSearchParams() };

/** What became of a call: `done`, or the status and the words that it is refused with. */
export async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof Refusal) return `${statuses[error.kind] ?? error.kind} ${error.message}`;
    if (error instanceof InvalidFields)
      return `422 ${JSON.stringify(Object.fromEntries(error.fields.map(([name, all]) => [name, all.map(english)])))}`;
    if (error instanceof RefusedExecution) return `422 ${error.errors.map(english).join('; ')}`;
    throw error;
  }
}

const statuses: Readonly<Record<string, string>> = { forbidden: '403', 'not-found': '404' };

function toJson(value: object): JsonObject {
  const json: Json = readJson(Buffer.from(JSON.stringify(value)), { depth: 32, keys: 2000 });
  if (!(json instanceof Map)) throw new Error('an object was expected');
  return json as JsonObject;
}

async function listed<T>({ texts }: TaskList): Promise<T[]> {
  return JSON.parse(`[${await textOf(texts)}]`) as T[];
}

async function textOf(pieces: string | AsyncGenerator<string>): Promise<string> {
  if (typeof pieces === 'string') return pieces;
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
