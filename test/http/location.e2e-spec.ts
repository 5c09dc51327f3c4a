import { type Response } from 'supertest';
import { formOf } from '../support/attachments.js';
import { startServiceWith } from '../support/service.js';

const definition = `
workspace: { id: acme }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId }, { name: Files, type: file }]
    actions: [{ id: finish, name: Finish }]
  - { id: notes, name: Notes, stages: [{ name: New }], fields: [{ name: Text, type: text }] }
`;
const things = '/api/v1/workflows/things';
const task = `${things}/tasks/a%2Fb%20%C3%BC`;

const { service } = await startServiceWith(definition);

const api = service.client(await service.key('acme', 'admin'));
await api.post(`${things}/tasks`, { ID: 'a/b ü' }).expect(201);

// That a repeated POST answers the same: test/http/every-route.e2e-spec.ts.
describe('"`Location` on 201"', () => {
  const headersOf = ({ headers }: Response): Record<string, string | undefined> => headers;

  it.each([
    ['a task', `${things}/tasks`, { ID: 'new one' }, `${things}/tasks/new%20one`],
    ['an attachment', `${task}/attachments/Files`, new FormData(), /^\/api\/v1\/files\/[\w-]+$/],
    ['an item', `${task}/checklist_items`, { title: 'A', Stage: 'New' }, /\/checklist_items\/[\w-]+$/],
    ['a comment', `${task}/comments`, { body: 'a' }, `${task}/comments`],
    ['a webhook', '/api/v1/webhooks', { id: 'w', url: 'https://a.test', events: ['task.created'] }, '/api/v1/webhooks/w'], // prettier-ignore
    ['an execution', `${things}/executions`, { task_id: 'a/b ü', action_id: 'finish' }, /\/executions\/[\w-]+$/], // prettier-ignore
  ])('of %s is the address for a GET', async (name, path, body, expected) => {
    const form = formOf({ filename: 'a.txt' });
    const isForm = body instanceof FormData;
    const asked = isForm
      ? api.post(path).set('Content-Type', form.type).send(form.body)
      : api.post(path, body);
    const answer = await asked.expect(name === 'an execution' ? 202 : 201);
    const { location = '' } = headersOf(answer);
    expect(location).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
    await api.get(location).expect(200);
  });

  it('is absent if nothing was created, or if no GET shows it', async () => {
    const changed = await api.post(`${things}/tasks`, { ID: 'a/b ü' }).expect(200);
    expect(headersOf(changed)['location']).toBeUndefined();
    const note = await api.post('/api/v1/workflows/notes/tasks', { Text: 'a' }).expect(201);
    expect(headersOf(note)['location']).toBeUndefined();
  });
});
