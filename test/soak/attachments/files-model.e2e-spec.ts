import fc from 'fast-check';
import { type Response } from 'supertest';
import { sweepBlobs } from '../../../src/attachments/sweep-blobs.js';
import {
  blobIds,
  download,
  type FileJson,
  filesOf,
  inline,
  sendForm,
  storedFiles,
  emptyBin,
} from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { type Client, countVersionsFromOne, startService, type TestService } from '../../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const limit = 4;
const fields = ['Docs', 'Photos'] as const;
type Field = (typeof fields)[number];
const ids = ['a', 'b'] as const;
type Id = (typeof ids)[number];

/** What an array is to hold: one that the field holds, one that another place holds, or a new one. */
type Pick = { keep: number } | { steal: number } | { add: string };
type Lists = Readonly<Partial<Record<Field, readonly Pick[] | null>>>;

type Step =
  | { do: 'put' | 'post'; id: Id; lists: Lists }
  | { do: 'upload'; id: Id; field: Field; name: string }
  | { do: 'remove'; id: Id; field: Field; at: number }
  | { do: 'delete'; id: Id }
  | { do: 'send back'; id: Id; verb: 'put' | 'post' }
  | { do: 'sweep' };

interface ModelTask extends Record<Field, FileJson[]> {
  version: number;
}

/** The tasks that there are, and the bytes of every file that ever was. */
interface Model {
  readonly tasks: Map<Id, ModelTask>;
  readonly bytes: Map<string, string>;
}

describe('2.2 attachments obey the law, whatever is asked', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await countVersionsFromOne(service);
    await service.apply(
      workflowOf(['name: ID, type: uniqueId, required: true', `name: Docs, type: file, limit: ${limit}`, 'name: Photos, type: file']), // prettier-ignore
    );
    api = service.client(await service.key('acme'));
  });
  afterAll(() => service.stop());

  it('after any sequence of requests the service shows and stores what a model in memory holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(), { minLength: 15, maxLength: 15 }), async (steps) => {
        const model: Model = { tasks: new Map(), bytes: new Map() };
        await service.dataSource.query(
          'UPDATE blobs SET workflow_id = NULL, task_id = NULL, unnamed_at = now()',
        );
        await service.dataSource.query('DELETE FROM tasks');
        for (const id of ids) await write({ do: 'post', id, lists: {} }, model);
        for (const one of steps) {
          await carryOut(one, model);
          for (const id of ids) await compare(id, model);
        }
        await compareStored(model);
      }),
      { numRuns: 20, interruptAfterTimeLimit: 800_000, markInterruptAsFailure: true },
    );
  });

  async function carryOut(one: Step, model: Model): Promise<void> {
    switch (one.do) {
      case 'put':
      case 'post':
        return write(one, model);
      case 'upload':
        return upload(one, model);
      case 'remove':
        return remove(one, model);
      case 'delete':
        return deleteTask(one.id, model);
      case 'send back':
        return sendBack(one.id, one.verb, model);
      case 'sweep':
        await emptyBin(service);
        await sweepBlobs(service.dataSource.manager, service.blobs, 0);
    }
  }

  async function write(
    { do: verb, id, lists }: Extract<Step, { do: 'put' | 'post' }>,
    model: Model,
  ): Promise<void> {
    const task = model.tasks.get(id);
    const wanted = fields.flatMap((field) =>
      lists[field] === undefined ? [] : [{ field, picks: lists[field] }],
    );
    const elements = wanted.map(({ field, picks }) => ({
      field,
      list: picks && elementsOf(picks, id, field, model),
    }));
    const answer = await api[verb](tasks, {
      ID: id,
      ...Object.fromEntries(elements.map(({ field, list }) => [field, list])),
    });
    const errors = elements.flatMap(({ field, list }) => {
      const fault = list && faultOf(list, field, task, verb);
      return fault ? [[field, [fault]]] : [];
    });
    if (errors.length > 0) {
      expectAnswer(answer, 422, { errors: Object.fromEntries(errors) });
      return;
    }
    if (!task && verb === 'put') {
      expectStatus(answer, 404);
      return;
    }
    const next: ModelTask = task ? { ...task } : { Docs: [], Photos: [], version: 0 };
    for (const { field, list } of elements) next[field] = settle(list ?? [], filesOf(answer, field), model);
    const isChanged = fields.some((field) => JSON.stringify(next[field]) !== JSON.stringify(task?.[field]));
    next.version += isChanged ? 1 : 0;
    model.tasks.set(id, next);
    expectStatus(answer, task ? 200 : 201);
    expectTask(answer, id, next);
  }

  async function upload({ id, field, name }: Extract<Step, { do: 'upload' }>, model: Model): Promise<void> {
    const answer = await sendForm(api, `${tasks}/${id}/attachments/${field}`, {
      filename: name,
      bytes: `form ${name}`,
    });
    const task = model.tasks.get(id);
    if (!task) {
      expectStatus(answer, 404);
      return;
    }
    if (field === 'Docs' && task.Docs.length >= limit) {
      expectAnswer(answer, 422, { errors: { Docs: [`holds more than ${limit} files`] } });
      return;
    }
    const { blobId } = answer.body as FileJson;
    expectAnswer(answer, 201, { blobId, contentType: 'application/x-test', filename: name });
    expect(model.bytes.has(blobId)).toBe(false);
    model.bytes.set(blobId, `form ${name}`);
    model.tasks.set(id, {
      ...task,
      [field]: [...task[field], answer.body as FileJson],
      version: task.version + 1,
    });
  }

  async function remove({ id, field, at }: Extract<Step, { do: 'remove' }>, model: Model): Promise<void> {
    const known = [...model.bytes.keys()];
    const task = model.tasks.get(id);
    const held = task?.[field] ?? [];
    const blobId = held[at]?.blobId ?? known[at] ?? 'nothing';
    const answer = await api.delete(`${tasks}/${id}/attachments/${field}/${blobId}`);
    const rest = held.filter((file) => file.blobId !== blobId);
    if (!task || rest.length === held.length) {
      expectStatus(answer, 404);
      return;
    }
    expectStatus(answer, 204);
    model.tasks.set(id, { ...task, [field]: rest, version: task.version + 1 });
    expect((await download(api, blobId)).status).toBe(404);
  }

  async function deleteTask(id: Id, model: Model): Promise<void> {
    expectStatus(await api.delete(`${tasks}/${id}`), model.tasks.delete(id) ? 204 : 404);
  }

  /** The round-trip law. */
  async function sendBack(id: Id, verb: 'put' | 'post', model: Model): Promise<void> {
    const task = model.tasks.get(id);
    if (!task) return;
    const answer = await api[verb](tasks, (await api.get(`${tasks}/${id}`)).text);
    expectStatus(answer, 200);
    expectTask(answer, id, task);
  }

  async function compare(id: Id, model: Model): Promise<void> {
    const answer = await api.get(`${tasks}/${id}`);
    const task = model.tasks.get(id);
    if (task) expectTask(answer, id, task);
    else expectStatus(answer, 404);
  }

  /** Every file downloads with its bytes, and nothing else is stored. */
  async function compareStored(model: Model): Promise<void> {
    const named = [...model.tasks.values()].flatMap((task) => fields.flatMap((field) => task[field]));
    const ids = named.map(({ blobId }) => blobId);
    const bytes = await Promise.all(ids.map(async (id) => (await download(api, id)).body.toString()));
    expect(bytes).toEqual(ids.map((id) => model.bytes.get(id)));
    await emptyBin(service);
    await sweepBlobs(service.dataSource.manager, service.blobs, 0);
    const sorted = ids.sort();
    expect(await blobIds(service)).toEqual({ rows: sorted, named: sorted });
    expect(await storedFiles(service.config.blobStore)).toEqual(sorted);
  }

  type Element = { blobId: string } | ReturnType<typeof inline>;

  function elementsOf(picks: readonly Pick[], id: Id, field: Field, model: Model): Element[] {
    const held = model.tasks.get(id)?.[field] ?? [];
    const others = [...model.bytes.keys()].filter((known) => !held.some(({ blobId }) => blobId === known));
    return picks.flatMap((pick): Element[] => {
      if ('add' in pick) return [inline(pick.add, `new ${pick.add}`)];
      if ('keep' in pick) {
        const file = held[pick.keep % Math.max(held.length, 1)];
        return file ? [pick.keep % 2 === 0 ? file : { blobId: file.blobId }] : [];
      }
      return [{ blobId: others[pick.steal % Math.max(others.length, 1)] ?? 'nothing' }];
    });
  }

  /** Why this array is refused, if it is. */
  function faultOf(
    list: readonly Element[],
    field: Field,
    task: ModelTask | undefined,
    verb: 'put' | 'post',
  ): string | undefined {
    const held = task?.[field] ?? [];
    const kept = list.flatMap((element) => ('blobId' in element ? [element.blobId] : []));
    if (new Set(kept).size < kept.length) return 'contains a file twice';
    if (field === 'Docs' && list.length > limit) return `holds more than ${limit} files`;
    const isForeign = kept.some((id) => !held.some(({ blobId }) => blobId === id));
    return isForeign && (task ?? verb === 'post') ? 'names a file that is not on this task' : undefined;
  }

  /** The files that the array makes: those kept as they were, the new ones under ids that nobody had. */
  function settle(list: readonly Element[], shown: readonly FileJson[], model: Model): FileJson[] {
    return list.map((element, at) => {
      if ('blobId' in element) {
        const held = [...model.tasks.values()].flatMap((task) => fields.flatMap((field) => task[field]));
        return held.find(({ blobId }) => blobId === element.blobId) as FileJson;
      }
      const { filename, contentType, base64contents } = element;
      const blobId = shown[at]?.blobId ?? '';
      expect(model.bytes.has(blobId)).toBe(false);
      model.bytes.set(blobId, Buffer.from(base64contents, 'base64').toString());
      return { blobId, contentType, filename };
    });
  }
});

function expectStatus({ status }: Response, wanted: number): void {
  expect(status).toBe(wanted);
}

function expectAnswer({ status, body }: Response, ...wanted: [number, object]): void {
  expect([status, body]).toEqual(wanted);
}

function expectTask({ body, headers }: Response, id: Id, { version, ...files }: ModelTask): void {
  const { 'Task URL': _, ...task } = body as Record<string, unknown>;
  expect(task).toEqual({ Stage: 'New', 'Assigned To': null, ID: id, ...files });
  expect(headers['etag']).toMatch(new RegExp(`^"${version}-`));
}

function step(): fc.Arbitrary<Step> {
  const id = fc.constantFrom(...ids);
  const field = fc.constantFrom(...fields);
  const name = fc.constantFrom('x', 'y', '\u00e9 1.txt', '__proto__');
  const pick = fc.oneof(
    { arbitrary: fc.record({ keep: fc.nat(5) }), weight: 6 },
    { arbitrary: fc.record({ add: name }), weight: 4 },
    { arbitrary: fc.record({ steal: fc.nat(9) }), weight: 1 },
  );
  // Most often different ones of those that are there, in any order.
  const kept = fc.shuffledSubarray([0, 1, 2, 3]).map((order): Pick[] => order.map((keep) => ({ keep })));
  const added = fc.array(fc.record({ add: name }), { maxLength: 2 });
  const picks = fc.oneof(
    fc.tuple(kept, added).map(([some, more]): Pick[] => [...some.slice(1), ...more, ...some.slice(0, 1)]),
    fc.array(pick, { maxLength: 5 }),
    fc.constantFrom([], null),
  );
  const lists = fc.record({ Docs: picks, Photos: picks }, { requiredKeys: [] });
  const writing = fc.record({ do: fc.constantFrom('put' as const, 'post' as const), id, lists });
  const uploading = fc.record({ do: fc.constant('upload' as const), id, field, name });
  const removing = fc.record({ do: fc.constant('remove' as const), id, field, at: fc.nat(3) });
  return fc.oneof(
    { arbitrary: writing, weight: 6 },
    { arbitrary: uploading, weight: 4 },
    { arbitrary: removing, weight: 3 },
    { arbitrary: fc.record({ do: fc.constant('delete' as const), id }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('send back' as const), id, verb: fc.constantFrom('put' as const, 'post' as const) }), weight: 1 }, // prettier-ignore
    { arbitrary: fc.record({ do: fc.constant('sweep' as const) }), weight: 1 },
  );
}
