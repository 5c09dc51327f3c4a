import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { type Client, createClient, NotFound, NotPossible, PreconditionFailed, ValidationError, verifyWebhook } from '../../../packages/client/client.js'; // prettier-ignore
import { freePort } from '../../support/free-port.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import { patience, until } from '../../support/until.js';
import { type Fault, startCuttingProxy } from './cutting-proxy.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Approved, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Amount, type: number }
      - { name: constructor, type: text }
      - { name: Papers, type: file }
    actions:
      - id: approve
        name: Approve
        requirements: { assigned: true }
        fields: [{ field: Risk, required: true }]
        steps: [{ name: Approve, type: move_to_stage, stage: Approved }]
  - id: numbers
    name: Numbers
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, autoincrement: true }, { name: Text, type: text }]
  - { id: plain, name: Plain, stages: [{ name: New }], fields: [{ name: Text, type: text }] }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: vendors, name: Parts }, to: { workflow: numbers, name: Vendor } }
`;

const refusal = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the client in TypeScript', () => {
  let service: TestService;
  let receiver: Receiver;
  let key: string;
  let wts: Client;

  beforeAll(async () => {
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_WEBHOOK_DELAYS: '0,0.05,0.05' });
    receiver = await startReceiver();
    await service.apply(definition);
    key = await service.key('acme', 'admin');
    wts = createClient({ url: service.url, key });
  });
  afterAll(async () => {
    receiver.stop();
    await service.stop();
  });

  it('tells the story of the service: save, act, wait, follow, webhook', async () => {
    const vendors = wts.workflow('vendors');
    await wts.request('POST', '/api/v1/webhooks', {
      body: { id: 'mine', url: `${receiver.url}/hook`, events: ['task.updated'] },
    });
    const { body } = await wts.request<{ secret: string }>('GET', '/api/v1/webhooks/mine/secret');
    const after = await wts.events.now();

    const amount = '12345678901234567890123456789012345678';
    const vendor = { 'Vendor ID': 'V-1', Amount: amount, constructor: 'a field' };
    const made = await vendors.tasks.save(vendor);
    expect(made).toMatchObject({ isCreated: true, task: { Stage: 'New', Amount: amount } });
    expect(Object.entries(made.task)).toContainEqual(['constructor', 'a field']);
    // Read, changed and written, a task loses nothing.
    const { task, etag } = await vendors.tasks.get('V-1');
    const saved = await vendors.tasks.update({ ...task, 'Assigned To': 'mina@acme.test' }, { ifMatch: etag });
    expect(saved.task).toEqual({ ...task, 'Assigned To': 'mina@acme.test' });
    expect(Object.entries(saved.task)).toContainEqual(['constructor', 'a field']);
    expect(await refusal(vendors.tasks.update(task, { ifMatch: etag }))).toBeInstanceOf(PreconditionFailed);
    expect(await refusal(vendors.tasks.create(vendor))).toBeInstanceOf(PreconditionFailed);
    expect(await refusal(vendors.tasks.update({ 'Vendor ID': 'V-9' }))).toBeInstanceOf(NotFound);
    const wrong = await refusal(vendors.tasks.save({ 'Vendor ID': 'V-2', Risk: 'Huge' }));
    expect(wrong).toBeInstanceOf(ValidationError);
    expect(wrong).toMatchObject({ status: 422, errors: { Risk: ['is not one of: Low, High'] } });
    expect((wrong as ValidationError).requestId).toMatch(/./);

    await vendors.tasks.save({ 'Vendor ID': 'V-2' });
    const unmet = await refusal(vendors.act('V-2', 'approve', { fields: { Risk: 'Low' } }));
    expect(unmet).toBeInstanceOf(NotPossible);
    expect(unmet).toMatchObject({ unmet: ['Must be assigned'] });
    const asked = { fields: { Risk: 'High' }, wait: 25, performedBy: 'mina@acme.test' };
    expect(await refusal(vendors.act('V-1', 'approve', { wait: 25 }))).toBeInstanceOf(ValidationError);
    expect(await vendors.act('V-1', 'approve', asked)).toMatchObject({ status: 'Success', errors: [] });
    expect(await vendors.actions('V-2')).toMatchObject([{ id: 'approve', available: false }]);

    for (const by of ['poll', 'sse'] as const) {
      const told: string[] = [];
      const stop = new AbortController();
      for await (const { event } of wts.events.follow({
        after,
        by,
        workflows: ['vendors'],
        signal: stop.signal,
      })) {
        told.push(`${event.type} ${event.data.task?.unique_id}`);
        if (told.length === 6) stop.abort();
      }
      // What an execution changes may stand before its end, or behind.
      expect(told.slice(0, 4)).toEqual(['task.created V-1', 'task.updated V-1', 'task.created V-2', 'execution.started V-1']); // prettier-ignore
      expect(told.slice(4).sort()).toEqual(['execution.succeeded V-1', 'task.updated V-1']);
    }

    const calls = await receiver.called('/hook', 2);
    const events = await Promise.all(
      calls.map((call) => verifyWebhook(call.body, call.headers, body.secret)),
    );
    expect(events.map(({ data }) => data.changes)).toMatchObject([
      { 'Assigned To': { from: null, to: 'mina@acme.test' } },
      { Stage: { from: 'New', to: 'Approved' }, Risk: { from: null, to: 'High' } },
    ]);
  });

  it('knows what belongs to a task', async () => {
    const vendors = wts.workflow('vendors');
    await vendors.tasks.save({ 'Vendor ID': 'a/b' });
    const numbers = wts.workflow('numbers').tasks;
    const { task } = await numbers.create({ Text: 'x' });
    const no = String(task['No']);
    const links = vendors.links('a/b', 'Parts');
    await links.add(no);
    expect(await links.list()).toMatchObject([{ No: no }]);
    await links.remove(no);
    expect(await refusal(links.remove(no))).toBeInstanceOf(NotFound);

    const files = vendors.attachments('a/b', 'Papers');
    const { blobId } = await files.upload(new Blob(['ü'], { type: 'text/plain' }), 'a b.txt');
    expect(await (await wts.download(blobId)).text()).toBe('ü');
    await files.remove(blobId);

    const checklist = vendors.checklist('a/b');
    const { id } = await checklist.create({ title: 'Call', Stage: 'New' });
    await checklist.update(id, { status: 'Completed' });
    expect(await checklist.list()).toMatchObject([{ id, status: 'Completed' }]);
    await checklist.delete(id);

    const comments = vendors.comments('a/b');
    await comments.create('Called', { performedBy: 'mina@acme.test' });
    expect(await comments.list()).toMatchObject([{ author: 'mina@acme.test', body: 'Called' }]);
    await vendors.tasks.delete('a/b');
    expect(await refusal(vendors.tasks.delete('a/b'))).toBeInstanceOf(NotFound);
  });

  // Rule: through a proxy that cuts before and after the body, storms of 429 and slow answers.
  it('makes exactly 400 tasks by 400 creates, whatever is cut, and follows them without a gap', async () => {
    const faults: readonly Fault[] = ['none', 'none', 'none', 'none', 'none', 'late', 'lost', 'unanswered', 'unanswered', 'cut', 'storm', 'busy']; // prettier-ignore
    const proxy = await startCuttingProxy(service.url, () => faults[Math.floor(Math.random() * faults.length)] ?? 'none'); // prettier-ignore
    const through = createClient({ url: proxy.url, key, deadline: patience });
    // One numbers its tasks and the other names none: nothing but the key of the call tells two of a kind.
    const [numbers, plain] = [through.workflow('numbers').tasks, through.workflow('plain').tasks];
    const before = (await all(wts.workflow('numbers').tasks.list())).length;
    const after = await through.events.now();
    let left = 200;
    const shown: unknown[] = [];
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const [{ task }] = await Promise.all([numbers.create({ Text: 'one' }), plain.save({ Text: 'one' })]);
        shown.push(task['No']);
      }
    };
    await Promise.all(Array.from({ length: 40 }, work));
    const told = new Set<string>();
    const stop = new AbortController();
    for await (const { event } of through.events.follow({ after, limit: 50, wait: 1, signal: stop.signal })) {
      told.add(event.id);
      if (told.size === 400) stop.abort();
    }
    proxy.stop();
    expect([...proxy.faults.keys()].sort()).toEqual([...new Set(faults)].sort());
    expect(await all(wts.workflow('numbers').tasks.list())).toHaveLength(before + 200);
    expect(new Set(shown).size).toBe(200);
    expect(await all(wts.workflow('plain').tasks.list())).toHaveLength(200);
  });
});

describe('the mirror of docs/guide/follow-changes.md', () => {
  let service: TestService;
  let folder: string;
  let other: OtherProcess | undefined;

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition);
    folder = await mkdtemp(join(tmpdir(), 'wts-mirror-'));
  });
  afterAll(async () => {
    await other?.stop();
    await rm(folder, { recursive: true });
    await service.stop();
  });

  // Rule: a mirror survives kill -9 of itself and of the service.
  it('survives kill -9 of itself and of the service', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/guide/follow-changes.md'), 'utf8');
    const [, source = ''] = /^```ts\n(\/\/ mirror\.ts\n.*?)^```$/ms.exec(page) ?? [];
    const client = pathToFileURL(join(import.meta.dirname, '../../../dist/packages/client/client.js')).href;
    await writeFile(
      join(folder, 'mirror.mjs'),
      compiled(source).replace("'@wts/client'", JSON.stringify(client)),
    );
    await writeFile(join(folder, 'keep.mjs'), keeper.replace("'@wts/client'", JSON.stringify(client)));
    const key = await service.key('acme');
    const start = (port: string): Promise<OtherProcess> =>
      startOtherProcess(service.config.databaseUrl ?? '', { PORT: port, WTS_BLOB_STORE: folder });
    // Another process gets the same port.
    const port = String(await freePort());
    other = await start(port);
    const { url } = other;
    const keep = () => spawn(process.execPath, [join(folder, 'keep.mjs'), url, key, join(folder, 'kept.json')], { stdio: 'inherit' }); // prettier-ignore

    const { tasks } = createClient({ url: service.url, key }).workflow('vendors');
    let mirror = keep();
    const writers = new AbortController();
    let amount = 'Amount';
    const writing = (async () => {
      for (let n = 0; !writers.signal.aborted; n += 1) {
        const id = { 'Vendor ID': `V-${n % 25}` };
        if (n % 7 === 6) await tasks.delete(id['Vendor ID']).catch(() => undefined);
        // The name changes under it.
        else await tasks.save({ ...id, [amount]: n, Risk: n % 2 ? 'Low' : null }).catch((error: unknown) => { if (!(error instanceof ValidationError)) throw error; }); // prettier-ignore
      }
    })();
    for (const whom of ['mirror', 'service', 'mirror', 'both']) {
      const before = await savedCursor();
      await until(async () => (await savedCursor()) !== before);
      if (whom !== 'service') {
        mirror.kill('SIGKILL');
        await once(mirror, 'exit');
      }
      if (whom !== 'mirror') {
        await other.kill();
        other = await start(port);
      }
      if (whom !== 'service') mirror = keep();
    }
    await service.apply(definition.replace('name: Amount,', 'name: Sum, was: Amount,'));
    amount = 'Sum';
    const shownBy = createClient({ url, key }).workflow('vendors').tasks;
    writers.abort();
    await writing;
    const file = (filename: string) => ({ filename, contentType: 'text/plain', base64contents: 'YQ==' });
    const { task } = await tasks.save({ 'Vendor ID': 'V-files', Papers: [file('a'), file('b')] });
    // Nothing but the order changes, and the mirror has it by then.
    await same();
    await tasks.save({ 'Vendor ID': 'V-files', Papers: [...(task['Papers'] as object[])].reverse() });
    await same();
    expect((await tasks.get('V-files')).task['Papers']).toMatchObject([{ filename: 'b' }, { filename: 'a' }]);
    mirror.kill('SIGKILL');
    await once(mirror, 'exit');

    async function same(): Promise<void> {
      const listed = new Map(
        (await all(shownBy.list())).map((shown) => [shown['Task URL'].split('/').pop(), plain(shown)]),
      );
      expect(listed.size).toBeGreaterThan(0);
      await until(async () => {
        const kept = JSON.parse(await readFile(join(folder, 'kept.json'), 'utf8')) as Kept;
        const ours = kept.tasks.filter(([, { workflow }]) => workflow === 'vendors');
        const mirrored = new Map(ours.map(([id, { values }]) => [id, plain(values)]));
        return JSON.stringify([...mirrored].sort()) === JSON.stringify([...listed].sort());
      });
    }
  });

  type Task = Record<string, unknown>;
  interface Kept {
    readonly tasks: [string, { readonly workflow: string; readonly values: Task }][];
  }
  /** A blank key of a new task is not told, nor that it has no files. */
  const plain = (task: Task) => ['Vendor ID', 'Sum', 'Risk', 'Stage', 'Papers'].map((name) => (isBlank(task[name]) ? null : task[name])); // prettier-ignore
  const isBlank = (value: unknown) => value == null || (Array.isArray(value) && value.length === 0);
  const savedCursor = async (): Promise<string> => {
    const file = join(folder, 'kept.json');
    return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as { cursor: string }).cursor : '';
  };
  const compiled = (source: string): string =>
    ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 } }).outputText; // prettier-ignore

  /** Keeps what it has in a file, which is always whole. */
  const keeper = `
    import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
    import { createClient } from '@wts/client';
    import { mirror } from './mirror.mjs';
    const [url, key, file] = process.argv.slice(2);
    const { cursor, tasks = [] } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const kept = { cursor, tasks: new Map(tasks) };
    const save = async () => {
      writeFileSync(file + '.new', JSON.stringify({ cursor: kept.cursor, tasks: [...kept.tasks] }));
      renameSync(file + '.new', file);
    };
    await mirror(createClient({ url, key }), kept, save, { signal: new AbortController().signal, onAway: () => undefined });
  `;
});
