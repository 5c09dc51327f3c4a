import { type Response } from 'supertest';
import { formOf } from '../support/attachments.js';
import { type Client, startService, type TestService } from '../support/service.js';

const definition = `
workspace: { id: acme }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId }, { name: Files, type: file }]
    actions: [{ id: finish, name: Finish }, { id: later, name: Later }]
  - { id: notes, name: Notes, stages: [{ name: New }], fields: [{ name: Text, type: text }] }
`;
const things = '/api/v1/workflows/things';
const task = `${things}/tasks/a%2Fb%20%C3%BC`;

describe('"`Location` on 201", and what a repeated POST answers', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition);
    api = service.client(await service.key('acme', 'admin'));
    await api.post(`${things}/tasks`, { ID: 'a/b ü' }).expect(201);
  });
  afterAll(() => service.stop());

  const headersOf = ({ headers }: Response): Record<string, string | undefined> => headers;

  /** The answer to a POST, and to the same sent again with its key. */
  async function twice(path: string, body: object, key: string): Promise<[Response, Response]> {
    const send = () => {
      const form = body instanceof FormData ? formOf({ filename: 'a.txt' }) : undefined;
      const asked = form
        ? api.post(path).set('Content-Type', form.type).send(form.body)
        : api.post(path, body);
      return asked.set('Idempotency-Key', key);
    };
    return [await send(), await send()];
  }

  it.each([
    ['a task', `${things}/tasks`, { ID: 'new one' }, `${things}/tasks/new%20one`],
    ['an attachment', `${task}/attachments/Files`, new FormData(), /^\/api\/v1\/files\/[\w-]+$/],
    ['an item', `${task}/checklist_items`, { title: 'A', Stage: 'New' }, /\/checklist_items\/[\w-]+$/],
    ['a comment', `${task}/comments`, { body: 'a' }, `${task}/comments`],
    ['a timer', `${task}/timers`, { action_id: 'later', after: '3 days' }, `${task}/timers`],
    [
      'a webhook',
      '/api/v1/webhooks',
      { id: 'w', url: 'https://a.test', events: ['task.created'] },
      '/api/v1/webhooks/w',
    ],
  ])(
    'of %s is where a GET shows it, also of the request that is repeated',
    async (name, path, body, expected) => {
      const [first, again] = await twice(path, body, name);
      expect([first.status, again.status]).toEqual([201, 201]);
      const { location = '' } = headersOf(first);
      expect(location).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
      await api.get(location).expect(200);
      expect(again.text).toBe(first.text);
      for (const header of ['location', 'etag', 'event-id', 'content-type'])
        expect([header, headersOf(again)[header]]).toEqual([header, headersOf(first)[header]]);
      // A timer makes no event before it fires.
      expect(headersOf(first)['event-id'] === undefined).toBe(name === 'a timer');
    },
  );

  it('of an execution is there from its beginning; repeated, it is the same execution with the same `Event-Id`', async () => {
    const [first, again] = await twice(
      `${things}/executions`,
      { task_id: 'a/b ü', action_id: 'finish' },
      'e',
    );
    expect(first.status).toBe(202);
    await api.get(headersOf(first)['location'] ?? '').expect(200);
    for (const header of ['location', 'event-id'])
      expect([header, headersOf(again)[header]]).toEqual([header, headersOf(first)[header]]);
    expect((again.body as { id: string }).id).toBe((first.body as { id: string }).id);
  });

  it('is not there where nothing was created, or no GET shows it', async () => {
    expect(
      headersOf(await api.post(`${things}/tasks`, { ID: 'a/b ü' }).expect(200))['location'],
    ).toBeUndefined();
    const note = await api.post('/api/v1/workflows/notes/tasks', { Text: 'a' }).expect(201);
    expect(headersOf(note)['location']).toBeUndefined();
  });
});
