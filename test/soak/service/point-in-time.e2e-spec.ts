import { createApiKey, revokeApiKey } from '../../../src/access/api-keys.js';
import { applyDefinition } from '../../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { nextOf } from '../../events/following.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { everyType } from '../../support/definitions.js';
import { describeOnOnePostgres } from '../../support/on-one-postgres.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { sendRaw, type RawAnswer } from '../../support/raw-request.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const feed = '/api/v1/events';
const beforeKey = 'key_000000000001';

// What docs/guide/production.md says of going back: `before` is what came before that moment, `lost` what came after it.
describeOnOnePostgres('a database that went back to a point in time', () => {
  let database: TestDatabase;
  let copy: TestDatabase;
  let service: OtherProcess;
  let receiver: Receiver;
  let admin: string;
  const before = { tag: '', cursor: '', key: '' };
  const lost = { tag: '', cursor: '', key: '' };

  beforeAll(async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    await applyDefinition(database.dataSource, readDefinition(everyType, 'test.yaml'));
    admin = await makeKey('admin');
    before.key = await makeKey('write', beforeKey);
    service = await start(database);
    const url = `${receiver.url}/hook`;
    await send('POST', '/api/v1/webhooks', { id: 'hook', url, events: ['task.updated'] });
    await send('POST', tasks, { ID: '1', Text: 'before' });
    await send('POST', tasks, { ID: 'never changed' });
    Object.assign(before, await placeNow());

    // Nobody may use a database while it is copied.
    await service.stop();
    await database.dataSource.destroy();
    copy = await createTestDatabase({ template: new URL(database.url).pathname.slice(1) });
    await database.dataSource.initialize();
    service = await start(database);
    await send('PUT', tasks, { ID: '1', Text: 'lost' });
    await send('POST', tasks, { ID: '2' });
    Object.assign(lost, await placeNow(), { key: await makeKey('write') });
    await revokeApiKey(database.dataSource.manager, beforeKey);
    await receiver.called('/hook', 1);

    await service.stop();
    service = await start(copy);
  });
  afterAll(async () => {
    await service.kill();
    await Promise.all([database.drop(), copy.drop()]);
    receiver.stop();
  });

  const makeKey = (scope: 'admin' | 'write', id?: string): Promise<string> =>
    createApiKey(database.dataSource.manager, { workspaceId: 1, name: 'test', scope, expiresAt: null }, id);
  const start = ({ url }: TestDatabase): Promise<OtherProcess> =>
    startOtherProcess(url, { WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_HOST: '127.0.0.1' });

  function send(method: string, path: string, body?: object, more = {}, key = admin): Promise<RawAnswer> {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more };
    const sent = { method, path, headers: Object.entries(headers) };
    return sendRaw(service.url, { ...sent, ...(body && { body: JSON.stringify(body) }) });
  }

  const placeNow = async (): Promise<object> => ({
    tag: tagOf(await send('GET', `${tasks}/1`)),
    cursor: nextOf(await send('GET', `${feed}?_after=now`)),
  });

  it('has the writes from before, and none from after', async () => {
    expect(JSON.parse((await send('GET', `${tasks}/1`)).body)).toMatchObject({ Text: 'before' });
    expect(await send('GET', `${tasks}/2`)).toMatchObject({ status: 404 });
  });

  it('takes tags from before; those of lost versions are refused, also when the task has as many versions again', async () => {
    expect(tagOf(await send('GET', `${tasks}/1`))).toBe(before.tag);
    const change = (Text: string, tag: string) => send('PUT', tasks, { ID: '1', Text }, { 'If-Match': tag });
    expect(await change('over it', lost.tag)).toMatchObject({ status: 412 });
    expect(await change('again', before.tag)).toMatchObject({ status: 200 });
    expect(await change('over it', lost.tag)).toMatchObject({ status: 412 });
  });

  it('goes on from cursors of before, and answers 410 to later ones, also when as much has happened again', async () => {
    expect(await send('GET', lost.cursor)).toMatchObject({ status: 410 });
    for (const ID of ['3', '4', '5', '6']) await send('POST', tasks, { ID });
    expect(await send('GET', lost.cursor)).toMatchObject({ status: 410 });
    const { body } = await send('GET', before.cursor);
    expect(body).toContain('"unique_id":"6"');
    expect(body).not.toContain('"unique_id":"2"');
  });

  it('knows keys of before, also those that were revoked later, and none that was made later', async () => {
    expect(await send('GET', `${tasks}/1`, undefined, {}, before.key)).toMatchObject({ status: 200 });
    expect(await send('GET', `${tasks}/1`, undefined, {}, lost.key)).toMatchObject({ status: 401 });
  });

  it('sends what happens from now on to webhooks of before; what a receiver was told of lost changes stays there', async () => {
    await send('PUT', tasks, { ID: 'never changed', Text: 'now' });
    await until(() => receiver.calls.some(({ body }) => body.includes('"now"')));
    expect(receiver.calls[0]?.body).toContain('"lost"');
    // A receiver that remembers ids to leave repeated ones out leaves out nothing that is new.
    const ids = receiver.calls.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const tagOf = ({ headers }: RawAnswer): string => String(headers['etag']);
