import { nextOf } from '../../events/following.js';
import { everyType } from '../../support/definitions.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { sendRaw, type RawAnswer } from '../../support/raw-request.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import {
  describeWithPostgres,
  type RecoverablePostgres,
  startRecoverablePostgres,
} from '../../support/recoverable-postgres.js';
import { workspaceOf } from '../../support/workspace-by-hand.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const feed = '/api/v1/events';

// What docs/guide/production.md says of a recovery to a point in time: `before` is what came before it, `lost` what came after.
describeWithPostgres('a database that was recovered to a point in time', () => {
  let postgres: RecoverablePostgres;
  let service: OtherProcess;
  let receiver: Receiver;
  let admin: string;
  const before = { tag: '', cursor: '', keyId: '', key: '' };
  const lost = { tag: '', cursor: '', key: '' };

  beforeAll(async () => {
    [postgres, receiver] = await Promise.all([startRecoverablePostgres(), startReceiver()]);
    service = await start(postgres.url);
    const of = await workspaceOf(postgres.url, everyType);
    admin = (await of.makeKey('admin')).key;
    await postgres.backUp();
    await send('POST', '/api/v1/webhooks', {
      id: 'hook',
      url: `${receiver.url}/hook`,
      events: ['task.updated'],
    });
    ({ id: before.keyId, key: before.key } = await of.makeKey('write'));
    await send('POST', tasks, { ID: '1', Text: 'before' });
    await send('POST', tasks, { ID: 'never changed' });
    before.tag = tagOf(await send('GET', `${tasks}/1`));
    before.cursor = await endOfFeed();

    const time = await postgres.now();
    await send('PUT', tasks, { ID: '1', Text: 'lost' });
    await send('POST', tasks, { ID: '2' });
    lost.tag = tagOf(await send('GET', `${tasks}/1`));
    lost.cursor = await endOfFeed();
    lost.key = (await of.makeKey('write')).key;
    await of.revoke(before.keyId);
    await receiver.called('/hook', 1);

    await of.close();
    await service.stop();
    service = await start(await postgres.recover(time));
  });
  afterAll(async () => {
    await service.kill();
    await postgres.stop();
    receiver.stop();
  });

  const start = (url: string): Promise<OtherProcess> =>
    startOtherProcess(url, { WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_HOST: '127.0.0.1' });

  const send = (method: string, path: string, body?: object, more = {}, key = admin): Promise<RawAnswer> =>
    sendRaw(service.url, {
      method,
      path,
      headers: Object.entries({
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...more,
      }),
      ...(body && { body: JSON.stringify(body) }),
    });

  const endOfFeed = async (): Promise<string> => nextOf(await send('GET', `${feed}?_after=now`));

  it('has the writes before the backup, and none after it', async () => {
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
