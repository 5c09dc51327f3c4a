import { createApiKey, revokeApiKey } from '../../src/access/api-keys.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { type Client, startServiceWith } from '../support/service.js';
import { nextOf } from '../support/pages.js';
import { type Event, eventsOf } from './following.js';

const definition = `
workspace: { id: acme }
users: [{ email: mina@acme.test, first_name: Mina }]
workflows: [{ id: things, name: Things, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId }] }]
`;
const secretUrl = 'https://hooks.test/T0/very-secret';

const { service, api: writer } = await startServiceWith(definition);
const admin = service.client(await service.key('acme', 'admin'));
const { manager } = service.dataSource;
const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });

describe('"Events for keys, users and webhooks that are made, changed, revoked"', () => {
  const now = async (): Promise<string> => nextOf(await admin.get('/api/v1/events?_after=now').expect(200));
  const told = (events: readonly Event[]): [string, unknown][] =>
    events.map(({ type, data }) => [type, Reflect.get(data, type.split('.')[0] ?? '')]);

  it('of keys: created and revoked; the use of a key is no event', async () => {
    const at = await now();
    const wanted = { workspaceId, name: 'bot', scope: 'read' as const, expiresAt: null };
    const key = await createApiKey(manager, wanted, 'key_one');
    await service.client(key).get('/api/v1/workflows').expect(200);
    for (let twice = 0; twice < 2; twice += 1) await revokeApiKey(manager, 'key_one');
    const { events } = await eventsOf(admin, at);
    const shown = { id: 'key_one', name: 'bot', scope: 'read' };
    expect(told(events)).toEqual([
      ['key.created', { ...shown, expires_at: null }],
      ['key.revoked', { ...shown, expires_at: null, changed: ['revoked_at'] }],
    ]);
    expect(JSON.stringify(events)).not.toContain(key);
    expect(events.map(({ data }) => [data.workflow, data.task])).toEqual(events.map(() => [null, null]));
  });

  it('of users: created, changed, deactivated and reactivated, by the definition that says so', async () => {
    const at = await now();
    for (const more of ['', ', active: false', ', active: true'])
      await service.apply(definition.replace('first_name: Mina', `$&, last_name: Cole${more}`));
    const types = '&type=user.updated&type=user.deactivated&type=user.reactivated';
    const { events } = await eventsOf(admin, at + types);
    const shown = { email: 'mina@acme.test' };
    expect(told(events)).toEqual([
      ['user.updated', { ...shown, active: true, changed: ['last_name'] }],
      ['user.deactivated', { ...shown, active: false, changed: ['active'] }],
      ['user.reactivated', { ...shown, active: true, changed: ['active'] }],
    ]);
    expect(events[0]?.data.actor).toMatchObject({ kind: 'definition', version: 2 });
    const { events: first } = await eventsOf(admin, '/api/v1/events?type=user.created');
    expect(told(first)).toEqual([['user.created', { ...shown, active: true }]]);
  });

  it('of webhooks: what changed and by whom, but never an address, a header or a secret', async () => {
    const at = await now();
    const headers = { 'X-Team': 'very-secret' };
    const wanted = { id: 'billing', url: secretUrl, events: ['task.created'], headers };
    const hook = '/api/v1/webhooks/billing';
    await admin.post('/api/v1/webhooks', wanted).expect(201);
    await admin.put(hook, { ...wanted, url: `${secretUrl}2`, events: ['task.deleted'] }).expect(200);
    await admin.post(`${hook}/secret/rotate`).expect(200);
    await admin.post(`${hook}/pause`).expect(200);
    await admin.post(`${hook}/pause`).expect(200);
    await admin.post(`${hook}/enable`).expect(200);
    await admin.delete(hook).expect(204);
    const { events } = await eventsOf(admin, at);
    const shown = { id: 'billing', managed_by: 'api', state: 'active' };
    expect(told(events)).toEqual([
      ['webhook.created', shown],
      ['webhook.updated', { ...shown, changed: ['url', 'events'] }],
      ['webhook.updated', { ...shown, changed: ['secret'] }],
      ['webhook.updated', { ...shown, state: 'paused', changed: ['state'] }],
      ['webhook.updated', { ...shown, changed: ['state'] }],
      ['webhook.deleted', shown],
    ]);
    expect(events[0]?.data.actor).toMatchObject({ kind: 'key', name: 'test' });
    expect(JSON.stringify(events)).not.toMatch(/very-secret|whsec_/);
  });

  it('are shown to keys of scope `admin` only', async () => {
    const at = await now();
    await createApiKey(manager, { workspaceId, name: 'hidden', scope: 'read', expiresAt: null });
    await writer.post('/api/v1/workflows/things/tasks', { ID: 'seen' }).expect(201);
    const types = async (api: Client, address = at): Promise<string[]> =>
      (await eventsOf(api, address)).events.map(({ type }) => type);
    expect(await types(admin)).toEqual(['key.created', 'task.created']);
    expect(await types(writer)).toEqual(['task.created']);
    expect(await types(writer, `${at}&type=key.created`)).toEqual([]);
    expect((await types(writer, '/api/v1/events')).filter((type) => /^(key|user)\./.test(type))).toEqual([]);
  });
});
