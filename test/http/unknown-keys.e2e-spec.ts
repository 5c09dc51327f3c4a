import { type Client, startServiceWith } from '../support/service.js';

const workflow = '/api/v1/workflows/things';
const yaml = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-fri: ["09:00-17:00"] } }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions: [{ id: go, name: Go, steps: [] }]
    rules:
      - { id: new, on: created, run: go }
      - { id: told, on: hook, secret: HOOK, task: 'body["id"]', run: go }
    schedules: [{ id: daily, cron: "0 6 * * *", run: go, for: "Stage=New" }]
relationships:
  - { id: next, kind: one_to_many, from: { workflow: things, name: Next }, to: { workflow: things, name: Former } }
`;

const { api } = await startServiceWith(yaml, {}, 'admin');

describe('8 an unknown key of a body of fixed shape is refused', () => {
  let item = '';

  beforeAll(async () => {
    for (const ID of ['1', '2']) await api.post(`${workflow}/tasks`, { ID }).expect(201);
    const made = await api.post(`${workflow}/tasks/1/checklist_items`, { title: 'x', Stage: 'New' });
    item = (made.body as { readonly id: string }).id;
    await api.post('/api/v1/webhooks', { id: 'w', url: 'https://acme.test', events: ['task.created'] });
  });

  const task = `${workflow}/tasks/1`;
  it.each<['post' | 'put', () => string, object, string]>([
    ['post', () => `${task}/comments`, { text: 'x' }, '; did you mean body?'],
    ['post', () => `${task}/comments`, { actor: 'x' }, '; did you mean performed_by?'],
    ['post', () => `${task}/checklist_items`, { Titel: 'x' }, '; did you mean title?'],
    ['put', () => `${task}/checklist_items/${item}`, { Status: 'Completed' }, '; did you mean status?'],
    ['post', () => `${task}/approvals`, { action: 'go' }, '; did you mean action_id?'],
    ['post', () => `${task}/timers`, { user: 'mina@acme.test' }, '; did you mean performed_by?'],
    ['post', () => '/api/v1/webhooks', { URL: 'x' }, '; did you mean url?'],
    ['put', () => '/api/v1/webhooks/w', { event: [] }, '; did you mean events?'],
    ['post', () => '/api/v1/webhooks/w/replay', { delivery: [] }, ''],
    ['post', () => '/api/v1/webhooks/w/enable', { dry_run: true }, ''],
    ['post', () => `${workflow}/rules/explain`, { events: 'x' }, '; did you mean event?'],
    ['post', () => `${workflow}/rules/new/dry_run`, { task: '1' }, '; did you mean task_id?'],
    ['post', () => '/api/v1/calendars/office/try', { form: 'x' }, '; did you mean from?'],
  ])('%s %s: %j', async (method, path, body, hint) => {
    const [name = ''] = Object.keys(body);
    const { errors } = (await api[method](path(), body).expect(422)).body as { readonly errors: Record<string, string[]> }; // prettier-ignore
    expect(errors[name]).toEqual([expect.stringMatching(/^is not a key of /)]);
    expect(errors[name]?.[0]?.replace(/^[^;]*/, '')).toBe(hint);
  });

  it.each<['post' | 'put' | 'delete', () => string]>([
    ['post', () => `${workflow}/schedules/daily/run`],
    ['post', () => `${workflow}/schedules/daily/pause`],
    ['post', () => `${workflow}/rules/new/pause`],
    ['post', () => `${workflow}/rules/told/hook/rotate`],
    ['post', () => '/api/v1/webhooks/w/test'],
    ['post', () => '/api/v1/webhooks/w/pause'],
    ['put', () => `${task}/links/Next/2`],
    ['delete', () => `${task}/links/Next/2`],
    ['delete', () => `${task}/checklist_items/${item}`],
    ['delete', () => task],
  ])('%s %s takes no body', async (method, path) => {
    const send = (body: string): ReturnType<Client['get']> =>
      api[method](path()).set('Content-Type', 'application/json').send(body);
    const { body } = await send('{"dry_run":true}').expect(422);
    expect(body).toEqual({ errors: { dry_run: ['is not a key here: the request takes no body'] } });
    await send('[]').expect(422);
    await send('{"dry_run":true}').unset('Authorization').expect(401);
    await send('{}').expect((answer) => {
      expect(answer.status).toBeLessThan(300);
    });
  });
});
