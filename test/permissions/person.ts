import { createApiKey } from '../../src/access/api-keys.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { Scope } from '../../src/workflows/model/scope.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { formOf } from '../support/attachments.js';
import { type TestService } from '../support/service.js';

/** A user of the interface: by a key that acts as them, and so has their rights. */
export class Person {
  private constructor(
    private readonly service: TestService,
    private readonly key: string,
    readonly userId: string,
  ) {}

  static async of(service: TestService, workspace: string, email: string): Promise<Person> {
    const { manager } = service.dataSource;
    const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug: workspace });
    const userId = (await service.app.get(Workspaces).get(workspaceId)).users.find(email)?.id ?? '';
    const wanted = { workspaceId, name: email, scope: 'write', expiresAt: null, userId } as const;
    return new Person(service, await createApiKey(manager, wanted), userId);
  }

  /** Their scope in a workflow, as the service finds it. */
  async scope(workspace: string, slug: string): Promise<Scope> {
    const { id } = await this.service.dataSource.manager.findOneByOrFail(WorkspaceEntity, {
      slug: workspace,
    });
    const viewer = { userId: this.userId };
    return new Scope(await this.service.app.get(Workspaces).workflow(id, slug, viewer), viewer);
  }

  read = (slug: string, id: string): Promise<TaskJson> => this.send('GET', at(slug, 'tasks', id));

  async list(slug: string, query = '', isActive = false): Promise<{ tasks: TaskJson[]; total?: number }> {
    const { headers, body } = await this.answer(
      'GET',
      `${at(slug, 'tasks')}${isActive ? '/active' : ''}?${query}`,
    );
    const total = headers.get('X-Total-Count');
    return { tasks: body as TaskJson[], ...(total !== null && { total: Number(total) }) };
  }

  upsert = (slug: string, payload: object, headers: Record<string, string> = {}): Promise<TaskJson> =>
    this.send('POST', at(slug, 'tasks'), payload, headers);

  update = (slug: string, payload: object): Promise<TaskJson> => this.send('PUT', at(slug, 'tasks'), payload);

  delete = (slug: string, id: string): Promise<unknown> => this.send('DELETE', at(slug, 'tasks', id));

  /** Writes rows one by one, or all in one transaction; the outcomes, or only those of refused rows. */
  async batch(slug: string, rows: readonly object[], isAtomic = false): Promise<object[]> {
    const response = await this.fetch('POST', `${at(slug, 'tasks', 'batch')}?_atomic=${isAtomic}`, {
      body: rows.map((row) => JSON.stringify(row)).join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    return (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
  }

  links = (slug: string, id: string, name: string): Promise<TaskJson[]> =>
    this.send('GET', at(slug, 'tasks', id, 'links', name));
  link = (slug: string, id: string, name: string, other: string): Promise<unknown> =>
    this.send('PUT', at(slug, 'tasks', id, 'links', name, other));
  unlink = (slug: string, id: string, name: string, other: string): Promise<unknown> =>
    this.send('DELETE', at(slug, 'tasks', id, 'links', name, other));

  async attach(slug: string, id: string, field: string): Promise<void> {
    const { type, body } = formOf({ filename: 'a.txt' });
    const response = await this.fetch('POST', at(slug, 'tasks', id, 'attachments', field), {
      body: String(body),
      headers: { 'Content-Type': type },
    });
    await readAnswer(response);
  }

  detach = (slug: string, id: string, field: string, blobId: string): Promise<unknown> =>
    this.send('DELETE', at(slug, 'tasks', id, 'attachments', field, blobId));

  async download(blobId: string): Promise<void> {
    const response = await this.fetch('GET', `/api/v1/files/${blobId}`);
    if (!response.ok) await readAnswer(response);
    await response.body?.cancel();
  }

  items = (slug: string, id: string): Promise<{ readonly id: string }[]> =>
    this.send('GET', at(slug, 'tasks', id, 'checklist_items'));
  item = (slug: string, id: string, item: string): Promise<unknown> =>
    this.send('GET', at(slug, 'tasks', id, 'checklist_items', item));
  addItem = (slug: string, id: string): Promise<unknown> =>
    this.send('POST', at(slug, 'tasks', id, 'checklist_items'), { title: 'More', Stage: 'New' });
  tick = (slug: string, id: string, item: string): Promise<unknown> =>
    this.send('PUT', at(slug, 'tasks', id, 'checklist_items', item), { status: 'Completed' });
  removeItem = (slug: string, id: string, item: string): Promise<unknown> =>
    this.send('DELETE', at(slug, 'tasks', id, 'checklist_items', item));

  comments = (slug: string, id: string): Promise<unknown[]> =>
    this.send('GET', at(slug, 'tasks', id, 'comments'));
  comment = (slug: string, id: string, payload: object = { body: 'Hello' }): Promise<{ author: string }> =>
    this.send('POST', at(slug, 'tasks', id, 'comments'), payload);
  history = (slug: string, id: string): Promise<EventJson[]> =>
    this.send('GET', at(slug, 'tasks', id, 'history'));

  actions = (slug: string, id: string, query: Record<string, string> = {}): Promise<readonly object[]> =>
    this.send('GET', `${at(slug, 'tasks', id, 'actions')}?${String(new URLSearchParams(query))}`);

  async perform(slug: string, id: string, action: string, further: object = {}): Promise<string> {
    const payload = { task_id: id, action_id: action, ...further };
    return (await this.send<{ id: string }>('POST', at(slug, 'executions'), payload)).id;
  }

  /** Runs what is due; returns the status of the execution. */
  async end(slug: string, id: string): Promise<string> {
    await this.service.settle();
    return (await this.send<{ status: string }>('GET', at(slug, 'executions', id))).status;
  }

  executions = (slug: string, query: Record<string, string> = {}): Promise<{ readonly id: string }[]> =>
    this.send('GET', `${at(slug, 'executions')}?${String(new URLSearchParams(query))}`);
  cancel = (slug: string, id: string): Promise<unknown> => this.send('DELETE', at(slug, 'executions', id));

  private async send<T>(method: string, path: string, payload?: object, headers = {}): Promise<T> {
    return (await this.answer(method, path, payload, headers)).body as T;
  }

  private async answer(method: string, path: string, payload?: object, headers = {}): Promise<Answer> {
    const body = payload && JSON.stringify(payload);
    const sent =
      body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json', ...headers } };
    return readAnswer(await this.fetch(method, path, sent));
  }

  private fetch(method: string, path: string, { headers = {}, ...sent }: Sent = {}): Promise<Response> {
    const authorized = { Authorization: `Bearer ${this.key}`, ...headers };
    return fetch(`${this.service.url}${path}`, { method, ...sent, headers: authorized });
  }
}

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly headers: Headers;
  readonly body: unknown;
}

const at = (slug: string, ...parts: readonly string[]): string =>
  ['/api/v1/workflows', slug, ...parts.map((part) => encodeURIComponent(part))].join('/');

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  if (response.ok) return { headers: response.headers, body };
  const { errors, detail } = body as { readonly errors?: object; readonly detail?: string };
  const words = Array.isArray(errors) ? errors.join('; ') : errors ? JSON.stringify(errors) : detail;
  throw new Refused(`${response.status} ${words ?? ''}`);
}

class Refused extends Error {}

export type TaskJson = Readonly<Record<string, unknown>>;

interface EventJson {
  readonly type: string;
  readonly data: { readonly actor: object; readonly changes?: Readonly<Record<string, unknown>> };
}

/** What became of a call: `done`, or the status and the words that it is refused with. */
export const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refused) return error.message;
      throw error;
    },
  );
