import { hasRedis, startRedis, type TestRedis } from '../../support/redis.js';
import { neverAnswer, type Receiver, startReceiver } from '../../support/receiver.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { actionsTo, cases, definition, executions } from '../../executions/calling.js';

const grounds = ['within the process', ...(hasRedis() || process.env['CI'] ? ['by Bull'] : [])];

describe.each(grounds)('E12 systems that hang, executions %s', (ground) => {
  let hanging: Receiver;
  let quick: Receiver;
  let service: TestService;
  let redis: TestRedis | undefined;

  beforeAll(async () => {
    hanging = await startReceiver();
    quick = await startReceiver();
    redis = ground === 'by Bull' ? await startRedis() : undefined;
    service = await startService({
      WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
      ...(redis && { REDIS_URL: redis.url }),
    });
    const actions = { ...actionsTo(hanging.url), quick: [{ url: `${quick.url}/{{ID}}` }] };
    for (const workspace of ['acme', 'other']) await service.apply(definition(actions, workspace));
  });
  afterAll(async () => {
    await service.stop();
    await redis?.stop();
    hanging.stop();
    quick.stop();
  });

  it('keep no execution of another workspace from its end', async () => {
    hanging.answer('/hang', neverAnswer);
    const acme = service.client(await service.key('acme'));
    const other = service.client(await service.key('other'));
    // Not all at once: who waits for a connection for 10 s is asked to come again.
    for (let from = 0; from < 300; from += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => perform(acme, 'patient', `hang-${from + n}`, 202)),
      );
    await hanging.called('/hang', 60);
    expect(await perform(other, 'move', 'moved', 200)).toMatchObject({ status: 'Success' });
    expect(await perform(other, 'quick', 'quick', 200)).toMatchObject({ status: 'Success' });
    const pending = `SELECT count(*)::integer FROM executions WHERE status = 'Pending'`;
    expect(await service.dataSource.query(pending)).toEqual([{ count: 300 }]);
  });

  async function perform(
    api: Client,
    action_id: string,
    task_id: string,
    status: 200 | 202,
  ): Promise<unknown> {
    await api.post(cases, { ID: task_id, Title: 't' }).expect(201);
    const wait = status === 200 ? 'wait=25' : 'wait=0';
    return (await api.post(executions, { task_id, action_id }).set('Prefer', wait).expect(status)).body;
  }
});
