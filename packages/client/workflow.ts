import { batch, type BatchOptions } from './batch.js';
import { type Answer, type Call, type CallOptions, inPath, nextOf, type QueryValues } from './call.js';
import { NotFound, PreconditionFailed } from './errors.js';
import type * as shown from './types.js';

export interface WriteOptions extends CallOptions {
  /** The version that the task must have; `*` means that the task must exist. */
  readonly ifMatch?: string | undefined;
}

export interface ActOptions<Fields> extends CallOptions {
  readonly fields?: Fields | undefined;
  /** The most seconds to wait for the end of the execution, in addition to the deadline; by default 0. */
  readonly wait?: number | undefined;
  /** The e-mail of the performer. The default is the key, or the user that the key acts as. */
  readonly performedBy?: string | undefined;
}

type Id = string | number;

/** The fields of a task to write, or `_delete` together with the Unique ID of a task to delete. */
type Row<W extends shown.WorkflowTypes> = W['payload'] | { readonly _delete: true };

export type Workflow<W extends shown.WorkflowTypes> = ReturnType<typeof workflowOf<W>>;

export function workflowOf<W extends shown.WorkflowTypes>(call: Call, slug: string) {
  const path = `/api/v1/workflows${inPath(slug)}`;
  const at = (id: Id): string => `${path}/tasks${inPath(id)}`;
  const bodyOf = async <Body>(method: string, path: string, options: CallOptions & { body?: unknown } = {}) =>
    (await call<Answer<Body>>(method, path, options)).body;

  const tasks = {
    async get(id: Id, options: CallOptions = {}): Promise<shown.Versioned<W>> {
      return versioned(await call<Answer<shown.Task<W>>>('GET', at(id), options));
    },
    /** Creates the task, or changes these values of the task with this Unique ID. */
    save: (payload: W['payload'], options: WriteOptions = {}): Promise<shown.Written<W>> =>
      write('POST', payload, options),
    /** Creates the task. Throws `PreconditionFailed` if a task with this Unique ID exists. */
    create: (payload: W['payload'], options: CallOptions = {}): Promise<shown.Written<W>> =>
      write('POST', payload, { ...options, headers: { 'if-none-match': '*', ...options.headers } }),
    /**
     * Changes these values of the task with this Unique ID. Without `ifMatch`, throws `NotFound` if the task
     * is missing. With `ifMatch`, throws `PreconditionFailed` if the task is missing or has another version.
     */
    update: (payload: W['payload'], options: WriteOptions = {}): Promise<shown.Written<W>> =>
      // The service would refuse a repeated PUT with `If-Match`, because the first try changes the version.
      // A POST has an `Idempotency-Key`, so a repeated POST gets the answer of the first try.
      write(options.ifMatch === undefined ? 'PUT' : 'POST', payload, options),
    /** Deletes the task. Throws `NotFound` if the task does not exist. */
    async delete(id: Id, options: WriteOptions = {}): Promise<void> {
      try {
        await call('DELETE', at(id), guarded(options));
      } catch (error) {
        const isUnclear = error instanceof NotFound || error instanceof PreconditionFailed;
        if (!isUnclear || !error.isRepeated) throw error;
        // If the task does not exist now, the try that broke off has deleted the task.
        const { signal, deadline } = options;
        const found: unknown = await tasks.get(id, { signal, deadline }).catch((missing: unknown) => missing);
        if (!(found instanceof NotFound)) throw error;
      }
    },
    /** The tasks that match the filters, read in pages of `_limit`, by default 500. */
    async *list<const Q extends shown.Query<W> = shown.Query<W>>(
      query?: Q & shown.OnlyOf<shown.Query<W>, Q>,
      { isActive = false, ...options }: CallOptions & { readonly isActive?: boolean } = {},
    ): AsyncGenerator<shown.Listed<W, Q>, void, undefined> {
      let after: string | undefined;
      do {
        const values: QueryValues = { _limit: 500, ...query, ...(after !== undefined && { _after: after }) };
        const target = `${path}/tasks${isActive ? '/active' : ''}`;
        const page = await call<Answer<shown.Listed<W, Q>[]>>('GET', target, { ...options, query: values });
        yield* page.body;
        after = nextOf(page);
      } while (after !== undefined);
    },
    /** Writes or deletes many tasks. Yields the outcomes of each request before the next request is sent. */
    batch: (
      rows: Iterable<Row<W>> | AsyncIterable<Row<W>>,
      options: BatchOptions = {},
    ): AsyncGenerator<shown.BatchRow, void, undefined> => batch(call, `${path}/tasks/batch`, rows, options),
  };

  async function write(method: string, body: object, options: WriteOptions): Promise<shown.Written<W>> {
    const answer = await call<Answer<shown.Task<W>>>(method, `${path}/tasks`, { ...guarded(options), body });
    return { ...versioned(answer), isCreated: answer.status === 201 };
  }

  return {
    tasks,

    /** Performs an action. Returns even a failed execution. Throws `NotPossible` for unmet requirements. */
    async act<A extends keyof W['actions'] & string>(
      id: Id,
      action: A,
      { fields, wait = 0, performedBy, ...options }: ActOptions<W['actions'][A]> = {},
    ): Promise<shown.Execution> {
      const ends = Date.now() + wait * 1000;
      const patiently = (): CallOptions => {
        const seconds = Math.max(0, Math.min(25, Math.ceil((ends - Date.now()) / 1000)));
        const deadline = (options.deadline ?? 30_000) + seconds * 1000;
        return { ...options, deadline, headers: { prefer: `wait=${seconds}`, ...options.headers } };
      };
      const body = { task_id: id, action_id: action, performed_by: performedBy, fields };
      let execution = await bodyOf<Shown>('POST', `${path}/executions`, { ...patiently(), body });
      while (execution.status === 'Pending' && Date.now() < ends) {
        const { idempotencyKey: _, ...further } = patiently();
        execution = await bodyOf('GET', `${path}/executions${inPath(execution.id)}`, further);
      }
      return { errors: [], ...execution };
    },

    /** All actions of a task. `unmet` contains the reasons why an action cannot be performed now. */
    actions: (id: Id, { performedBy, ...options }: CallOptions & { performedBy?: string | undefined } = {}) =>
      bodyOf<shown.Explained[]>('GET', `${at(id)}/actions`, {
        ...options,
        query: { _explain: true, performed_by: performedBy, ...options.query },
      }),

    links: (id: Id, relationship: string) => {
      const links = `${at(id)}/links${inPath(relationship)}`;
      return {
        list: (options?: CallOptions) => bodyOf<shown.AnyWorkflow['fields'][]>('GET', links, options),
        add: (other: Id, options?: CallOptions) => bodyOf<null>('PUT', links + inPath(other), options),
        remove: (other: Id, options?: CallOptions) => bodyOf<null>('DELETE', links + inPath(other), options),
      };
    },

    attachments: (id: Id, field: string) => {
      const files = `${at(id)}/attachments${inPath(field)}`;
      return {
        upload: (file: Blob, filename: string, options?: CallOptions) => {
          const body = new FormData();
          body.append('file', file, filename);
          return bodyOf<shown.Attachment>('POST', files, { ...options, body });
        },
        remove: (blobId: string, options?: CallOptions) =>
          bodyOf<null>('DELETE', files + inPath(blobId), options),
      };
    },

    checklist: (id: Id) => {
      const items = `${at(id)}/checklist_items`;
      type Sent = Partial<shown.ChecklistItem>;
      return {
        list: (options?: CallOptions) => bodyOf<shown.ChecklistItem[]>('GET', items, options),
        create: (body: Sent, options?: CallOptions) =>
          bodyOf<shown.ChecklistItem>('POST', items, { ...options, body }),
        update: (item: string, body: Sent, options?: CallOptions) =>
          bodyOf<shown.ChecklistItem>('PUT', items + inPath(item), { ...options, body }),
        delete: (item: string, options?: CallOptions) =>
          bodyOf<null>('DELETE', items + inPath(item), options),
      };
    },

    comments: (id: Id) => {
      const comments = `${at(id)}/comments`;
      return {
        list: (options?: CallOptions) => bodyOf<shown.Comment[]>('GET', comments, options),
        create: (
          text: string,
          { performedBy, ...options }: CallOptions & { performedBy?: string | undefined } = {},
        ) =>
          bodyOf<shown.Comment>('POST', comments, {
            ...options,
            body: { body: text, performed_by: performedBy },
          }),
      };
    },
  };
}

type Shown = Omit<shown.Execution, 'errors'> & Partial<shown.Execution>;

const versioned = <Body>({ body, headers }: Answer<Body>): { task: Body; etag: string } => ({
  task: body,
  etag: headers.get('etag') ?? '',
});

function guarded({ ifMatch, ...options }: WriteOptions): CallOptions {
  return ifMatch === undefined
    ? options
    : { ...options, headers: { 'if-match': ifMatch, ...options.headers } };
}
