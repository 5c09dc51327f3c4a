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

  it('"who deleted this?": the feed tells by its Unique ID what happened to a task that is gone', async () => {
    await api.post(tasks, { ID: 'gone' }).expect(201);
    await api.delete(`${tasks}/gone`).expect(204);
    const typesOf = async (query: string): Promise<string[]> => {
      const { body } = await api.get(`/api/v1/events?${query}`).expect(200);
      return (body as { type: string }[]).map(({ type }) => type);
    };
    expect(await typesOf('unique_id=gone')).toEqual(['task.created', 'task.deleted']);
    expect(await typesOf('unique_id=gone&unique_id=other&type=task.deleted')).toEqual(['task.deleted']);
    expect(await typesOf('unique_id=never')).toEqual([]);
    const { out } = await run('task', 'history', '--workspace', 'acme', '--workflow', 'things', 'gone');
    expect(out.match(/task\.\w+/g)).toEqual(['task.deleted', 'task.created']);
  });
});
