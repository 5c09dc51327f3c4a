import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import ts from 'typescript';
import { createClient } from '../../../packages/client/client.js';
import { countVersionsFromOne, startServiceWith } from '../../support/service.js';
import { inline } from '../../support/attachments.js';
import { until } from '../../support/until.js';
import { type Event, eventsOf } from '../../events/following.js';

const definition = (name: string): string => `
workspace: { id: acme, name: Acme Inc }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: ${name}, was: Text, type: text }
      - { name: Price, type: currency }
      - { name: Open?, type: checkbox }
      - { name: Tags, type: multipleSelect, options: [a, b, c] }
      - { name: Papers, type: file }
    checklist: [{ title: Look, stage: New }]
    actions: [{ id: finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
  - { id: parts, name: Parts, stages: [{ name: New }], fields: [{ name: Part ID, type: uniqueId, required: true }] }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
`;

type Values = Record<string, unknown>;
interface Kept {
  readonly cursor?: string;
  tasks: Map<unknown, { readonly values: Values }>;
}
type Mirror = (wts: object, kept: Kept, save: () => Promise<void>, options: object) => Promise<void>;

const onAway = (): void => undefined;

const things = '/api/v1/workflows/things/tasks';
const parts = '/api/v1/workflows/parts/tasks';

// What is done follows from this number; how it meets does not.
const seed = Date.now() % 2 ** 31;

const folder = await mkdtemp(join(tmpdir(), 'wts-mirror-'));
const { service, api, key } = await startServiceWith(definition('Text').replace('was: Text, ', ''));
await countVersionsFromOne(service);
for (let n = 0; n < 6; n += 1) await api.post(parts, { 'Part ID': `p${n}` }).expect(201);
afterAll(() => rm(folder, { recursive: true }));

describe(`a model that is rebuilt from the feed alone (seed ${seed})`, () => {
  /** The mirror of docs/guide/follow-changes.md. */
  async function mirrorOfGuide(): Promise<Mirror> {
    const page = await readFile(join(import.meta.dirname, '../../../docs/guide/follow-changes.md'), 'utf8');
    const [, source = ''] = /^```ts\n(\/\/ mirror\.ts\n.*?)^```$/ms.exec(page) ?? [];
    const { outputText } = ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 } }); // prettier-ignore
    const file = join(folder, 'mirror.mjs');
    await writeFile(file, outputText.replace("'@wts/client'", JSON.stringify(packed)));
    return ((await import(file)) as { mirror: Mirror }).mirror;
  }

  /** The client that this test is with, so that an error of the one is an error of the other. */
  const packed = pathToFileURL(join(import.meta.dirname, '../../../dist/packages/client/client.js')).href;

  const numbers = fc.sample(fc.nat(), { numRuns: 2000, seed });
  const pick = <T>(...all: readonly T[]): T => all[(numbers.shift() ?? 0) % all.length] as T;

  /** Does something to some task; that it may be gone, or in the way of another, is part of it. */
  async function doSomething(n: number): Promise<void> {
    const id = `t${pick(0, 1, 2, 3, 4)}`;
    const at = `${things}/${id}`;
    const text = pick('Text', 'Words');
    await pick<() => PromiseLike<unknown>>(
      () => api.post(things, { ID: id, [text]: `x${n}`, Stage: pick('New', 'Done') }),
      () => api.post(things, { ID: id, 'Open?': pick(true, false), Tags: pick([], ['a'], ['c', 'b']) }),
      () => api.put(things, { ID: id, Price: pick(1, 2, null), 'Assigned To': pick(null, 'mina@acme.test') }),
      () => api.post(things, { ID: id, Papers: pick([], [inline(`a${n}.txt`), inline(`b${n}.txt`)]) }),
      () => api.post(things, { ID: id, Parts: pick([], [{ 'Part ID': 'p1' }], [{ 'Part ID': 'p2' }, { 'Part ID': 'p3' }]) }), // prettier-ignore
      () => api.put(parts, { 'Part ID': pick('p1', 'p2', 'p4'), Thing: pick(null, { ID: id }) }),
      () => api.put(`${at}/links/Parts/${pick('p1', 'p5')}`),
      () => api.delete(at),
      () => api.post(`${at}/checklist_items`, { title: `i${n}`, Stage: 'New' }),
      () => api.post(`${at}/comments`, { body: `c${n}` }),
      () => api.post('/api/v1/workflows/things/executions', { task_id: id, action_id: 'finish' }).set('Prefer', 'wait=10'), // prettier-ignore
      () => service.apply(definition(text)).catch(() => undefined),
    )();
  }

  /** A task as the feed tells it: blank keys are not told, links by Unique IDs. */
  function rebuild(events: readonly Event[]): Map<string, Values> {
    const tasks = new Map<string, Values>();
    const versions = new Map<string, number>();
    for (const { type, data } of events) {
      if (!type.startsWith('task.') || !data.task) continue;
      const { url, version } = data.task;
      // "every version follows the last", the deletion's too.
      expect([url, version]).toEqual([url, (versions.get(url) ?? 0) + 1]);
      versions.set(url, version);
      if (type === 'task.deleted') tasks.delete(url);
      else tasks.set(url, changed(tasks.get(url) ?? {}, data.changes ?? {}));
    }
    return tasks;
  }

  function changed(known: Values, changes: Readonly<Record<string, unknown>>): Values {
    const values = { ...known };
    const without = (list: unknown, gone: unknown[]): unknown[] =>
      ((list ?? []) as unknown[]).filter(
        (one) => !gone.some((other) => JSON.stringify(one) === JSON.stringify(other)),
      );
    for (const [name, change] of Object.entries(changes) as [string, Record<string, unknown[]>][]) {
      if ('to' in change) values[name] = change['to'];
      const [come, gone] = [change['added'] ?? change['linked'], change['removed'] ?? change['unlinked']];
      if (come && gone) values[name] = [...without(values[name], gone), ...come].sort(byText);
    }
    return values;
  }

  const byText = (one: unknown, other: unknown): number =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

  /** All tasks as the API lists them, in the same shape. */
  async function listed(): Promise<Map<unknown, Values>> {
    const all = [...((await api.get(things)).body as Values[]), ...((await api.get(parts)).body as Values[])];
    return new Map(all.map(({ 'Task URL': url, ...values }) => [url, values]));
  }

  function plain(values: Values, isMirror = false): Values {
    const linked = ([name]: [string, unknown]): boolean => ['Parts', 'Thing'].includes(name);
    const ids = (value: unknown): unknown[] =>
      [value ?? []].flat().map((one) => (typeof one === 'object' ? ((one as Values)['Part ID'] ?? (one as Values)['ID']) : one)); // prettier-ignore
    const entries = Object.entries(values)
      .filter((entry) => entry[0] !== 'Task URL' && !(isMirror && linked(entry)))
      .map(([name, value]): [string, unknown] => {
        if (linked([name, value])) return [name, ids(value).sort(byText)];
        return [
          name,
          name === 'Papers' && Array.isArray(value) ? [...(value as unknown[])].sort(byText) : value,
        ];
      })
      .filter(
        ([, value]) => !(value == null || value === false || (Array.isArray(value) && value.length === 0)),
      );
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  const plainOf = (tasks: Map<unknown, Values>, isMirror = false): [unknown, Values][] =>
    [...tasks].map(([url, values]): [unknown, Values] => [url, plain(values, isMirror)]).sort(byText);

  it('is what the API lists, and so is the mirror of the guide that was kept meanwhile', async () => {
    const stop = new AbortController();
    const kept: Kept = { tasks: new Map() };
    const mirror = await mirrorOfGuide();
    const wts = createClient({ url: service.url, key });
    const keeping = mirror(wts, kept, () => Promise.resolve(), { signal: stop.signal, onAway });
    await Promise.all(
      Array.from({ length: 4 }, async (_, worker) => {
        for (let n = 0; n < 40; n += 1) await doSomething(worker * 100 + n);
      }),
    );
    // Who started one of these may have stopped waiting for it.
    const pending = `SELECT FROM executions WHERE status = 'Pending'`;
    await until('executions have ended', async () => (await service.dataSource.query<unknown[]>(pending)).length === 0); // prettier-ignore
    await service.apply(definition('Text'));
    const list = await listed();
    const { events } = await eventsOf(api, '/api/v1/events');
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(plainOf(rebuild(events))).toEqual(plainOf(list));
    const byId = (tasks: Map<unknown, Values>): [unknown, Values][] =>
      plainOf(tasks, true).map(([url, values]): [unknown, Values] => [String(url).split('/').pop(), values]).sort(byText); // prettier-ignore
    const mirrored = (): [unknown, Values][] =>
      byId(new Map([...kept.tasks].map(([id, { values }]) => [id, values])));
    // What was told before its list is told again after it: only at the end of the feed it is as the service is.
    await until(async () => kept.cursor === (await wts.events.now()));
    expect(mirrored()).toEqual(byId(list));
    stop.abort();
    await keeping;
  });
});
