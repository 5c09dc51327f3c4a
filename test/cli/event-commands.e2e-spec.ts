import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventCommands } from '../../src/cli/event.commands.js';
import { eventsOf } from '../events/following.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const definition = `
workspace: { id: acme, name: Acme Inc }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: A, type: longText }]
`;

describe('wts events, wts task history and wts task forget', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition);
    api = service.client(await service.key('acme'));
    await api.post(tasks, { ID: '1', A: 'two\nlines' }).expect(201);
    await api.put(tasks, { ID: '1', Stage: 'Done', A: null }).expect(200);
    await api.post(`${tasks}/1/comments`, { body: 'Well \u202e done' }).expect(201);
  });
  afterAll(() => service.stop());

  async function run(...args: string[]): Promise<Ended> {
    const [name = '', ...others] = args;
    return wts(commandNamed(name, eventCommands()), others, service.config.databaseUrl ?? '');
  }

  it('shows a line for each event, without what a terminal would act upon', async () => {
    const { out } = await run('events', '--workspace', 'acme');
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\S+ {2}/, ''))).toEqual([
      'definition.applied  by the service  version 1',
      expect.stringMatching(/^key\.created {2}by system {2}key_[0-9a-f]{12} test$/),
      'task.created  things/1  by test  Stage: (blank) → New, ID: (blank) → 1, A: (blank) → two lines',
      'task.updated  things/1  by test  Stage: New → Done, A: two lines → (blank)',
      'comment.created  things/1  by test  Well \\u202e done',
    ]);
    const history = await run('task', 'history', '--workspace', 'acme', '--workflow', 'things', '1');
    expect(history.out.trimEnd().split('\n')).toEqual(lines.slice(2).toReversed());
  });

  it('prints JSON as the API tells it', async () => {
    const { out } = await run(
      'task',
      'history',
      '--workspace',
      'acme',
      '--workflow',
      'things',
      '1',
      '--json',
    );
    const { body } = await api.get(`${tasks}/1/history`);
    const ids = (events: unknown[]): unknown[] => events.map((event) => (event as { id: string }).id);
    const lines = out.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown); // prettier-ignore
    expect(ids(lines)).toEqual(ids(body as unknown[]));
  });

  it('--follow begins now, and tells of what happens as it does', async () => {
    const program = resolve(import.meta.dirname, '../../dist/wts.js');
    const env = { DATABASE_URL: service.config.databaseUrl };
    const child = spawn(process.execPath, [program, 'events', '--workspace', 'acme', '--follow', '--json'], { env }); // prettier-ignore
    const done = new AbortController();
    const writing = (async () => {
      for (let n = 0; !done.signal.aborted; n += 1) await api.put(tasks, { ID: '1', A: `${n}` });
    })();
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    done.abort();
    child.kill();
    await writing;
    expect(JSON.parse(line)).toMatchObject({ type: 'task.updated', data: { task: { unique_id: '1' } } });
  });

  it('"`wts task forget` erases a task\'s events", once the task is gone', async () => {
    const { body } = await api.get(`${tasks}/1`);
    const id = (body as Record<string, string>)['Task URL']?.split('/').at(-1) ?? '';
    const forget = ['task', 'forget', '--workspace', 'acme', id, '--yes'];
    expect(await run(...forget)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Delete it first') as string,
    });
    // More than a page, where the command above took long to start.
    const { events: before } = await eventsOf(api, '/api/v1/events');
    await api.delete(`${tasks}/1`).expect(204);
    const { out } = await run(...forget);
    expect(out).toBe(`erased ${before.length} events of the task ${id}\n`);
    // Its places in the feed stay taken, so followers go on as before.
    expect((await api.get(`/api/v1/events?task=${id}`)).body).toEqual([]);
    expect((await eventsOf(api, '/api/v1/events')).events).toHaveLength(1);
  });

  it('"who deleted this?": shows by its Unique ID what happened to a task that is gone, as the feed does', async () => {
    await api.post(tasks, { ID: 'gone', A: 'first' }).expect(201);
    await api.delete(`${tasks}/gone`).expect(204);
    await api.post(tasks, { ID: 'gone', A: 'second' }).expect(201);
    await api.put(tasks, { ID: 'gone', A: null }).expect(200);
    await api.delete(`${tasks}/gone`).expect(204);
    const history = ['task', 'history', '--workspace', 'acme', '--workflow', 'things'];
    const { out } = await run(...history, 'gone');
    const lines = out.trimEnd().split('\n').map((line) => line.split(/ {2}/)); // prettier-ignore
    const types = ['deleted', 'updated', 'created', 'deleted', 'created'].map((type) => `task.${type}`);
    expect(lines.map(([, type]) => type)).toEqual(types);
    expect(lines.map(([, , what, by]) => [what, by])).toEqual(types.map(() => ['things/gone', 'by test']));
    const { body } = await api.get('/api/v1/events?unique_id=gone').expect(200);
    expect((body as { type: string }[]).map(({ type }) => type)).toEqual(types.toReversed());
    const deleted = await api
      .get('/api/v1/events?unique_id=gone&unique_id=other&type=task.deleted')
      .expect(200);
    expect(deleted.body).toHaveLength(2);
    expect((await api.get('/api/v1/events?unique_id=never').expect(200)).body).toEqual([]);
    expect(await run(...history, 'never')).toMatchObject({
      code: 1,
      err: expect.stringContaining('never') as string,
    });
  });
});
