import { taskCommands } from '../../src/cli/task.commands.js';
import { eventsOf } from '../events/following.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const definition = `
workspace: { id: acme, name: Acme Inc }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: A, type: longText }]
`;

const { service, api } = await startServiceWith(definition);

describe('wts task forget', () => {
  beforeAll(async () => {
    await api.post(tasks, { ID: '1', A: 'two\nlines' }).expect(201);
    await api.put(tasks, { ID: '1', Stage: 'Done', A: null }).expect(200);
    await api.post(`${tasks}/1/comments`, { body: 'Well \u202e done' }).expect(201);
  });

  const forget = (...ids: string[]): Promise<Ended> =>
    wts(
      commandNamed('task', taskCommands()),
      ['forget', '--workspace', 'acme', ...ids, '--yes'],
      service.config.databaseUrl ?? '',
    );

  it('"`wts task forget` erases a task\'s events", once the task is gone', async () => {
    const id = (await api.read<Record<string, string>>(`${tasks}/1`))['Task URL']?.split('/').at(-1) ?? '';
    expect(await forget(id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Delete it first') as string,
    });
    // More than a page, where the command above took long to start.
    const { events: before } = await eventsOf(api, '/api/v1/events');
    await api.delete(`${tasks}/1`).expect(204);
    const { out } = await forget(id);
    expect(out).toBe(`erased ${before.length} events of the task ${id}\n`);
    // Its places in the feed stay taken, so followers go on as before.
    expect(await api.read(`/api/v1/events?task=${id}`)).toEqual([]);
    expect((await eventsOf(api, '/api/v1/events')).events).toHaveLength(1);
  });

  it('takes an id that begins with a hyphen, and refuses an unknown option', async () => {
    expect((await forget('-KHmz0ExfSsT')).out).toBe('erased 0 events of the task -KHmz0ExfSsT\n');
    expect((await forget('-KHmz0ExfSsT', '--no-such-option')).code).toBe(1);
  });
});
