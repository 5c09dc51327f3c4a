import { hasRedis, startRedis, type TestRedis } from '../../support/redis.js';
import { neverAnswer, type Receiver, startReceiver } from '../../support/receiver.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { patience } from '../../support/until.js';
import { actionsTo, cases, definition, executions } from '../../executions/calling.js';

describe.each(['within the process', ...(hasRedis() || process.env['CI'] ? ['by Bull'] : [])])(
  'E12 systems that hang, executions %s',
  (ground) => {
    let receiver: Receiver;
    let quick: Receiver;
    let redis: TestRedis | undefined;
    let service: TestService;

    beforeAll(async () => {
      receiver = await startReceiver();
      quick = await startReceiver();
      redis = ground === 'by Bull' ? await startRedis() : undefined;
      service = await startService({
        WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
        ...(redis && { REDIS_URL: redis.url }),
      });
      for (const workspace of ['acme', 'other'])
        await service.apply(
          definition(
            {
              ...actionsTo(receiver.url),
              quick: [{ url: `${quick.url}/{{ID}}` }],
              slow: [{ url: `${quick.url}/{{ID}}`, timeout_seconds: 120 }],
            },
            workspace,
          ),
        );
    });
    afterAll(async () => {
      await service.stop();
      await redis?.stop();
      receiver.stop();
      quick.stop();
    });

    it('keep no execution of others from its end, nor one that calls a system that answers', async () => {
      const hanging = 300;
      receiver.answer('/hang', neverAnswer);
      const acme = service.client(await service.key('acme'));
      const other = service.client(await service.key('other'));
      // Not all at once: who waits for a connection for 10 s is asked to come again.
      for (let from = 0; from < hanging; from += 50)
        await Promise.all(Array.from({ length: 50 }, (_, n) => begin(acme, 'patient', `hang-${from + n}`)));
      await receiver.called('/hang', 60);
      for (const api of [other, acme]) {
        expect(await ended(api, 'move', 'moved')).toMatchObject({ status: 'Success' });
        expect(await ended(api, 'quick', 'quick')).toMatchObject({ status: 'Success' });
      }
      const [{ count } = { count: '' }] = await service.dataSource.query<{ count: string }[]>(
        `SELECT count(*) FROM executions WHERE status = 'Pending'`,
      );
      expect(count).toBe(String(hanging));
    });

    it('have a share of the memory; what is beyond it is put off, not begun, and carried out later', async () => {
      const release: (() => void)[] = [];
      quick.answer('/large', (response) => release.push(() => response.end()));
      const other = service.client(await service.key('other'));
      // Each holds 0.4 MB, and the receiver's share are 16 MB.
      const Note = 'x'.repeat(200_000);
      const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => begin(other, 'slow', `large-${n}`, { Note }))); // prettier-ignore
      await quick.called('/large', 30);
      expect(await ended(other, 'move', 'moved-2')).toMatchObject({ status: 'Success' });
      expect(quick.of('/large').length).toBeLessThan(50);
      quick.answer('/large', (response) => response.end());
      for (const go of release) go();
      for (const id of ids) expect(await end(other, id)).toMatchObject({ status: 'Success' });
    });

    async function begin(
      api: Client,
      action_id: string,
      task_id: string,
      more: object = {},
    ): Promise<string> {
      await api.post(cases, { ID: task_id, Title: 't', ...more }).expect(201);
      return ((await api.post(executions, { task_id, action_id }).expect(202)).body as { id: string }).id;
    }

    async function ended(api: Client, action_id: string, task_id: string): Promise<unknown> {
      await api.post(cases, { ID: task_id, Title: 't' }).expect(201);
      return (await api.post(executions, { task_id, action_id }).set('Prefer', 'wait=25')).body;
    }

    async function end(api: Client, id: string): Promise<unknown> {
      // Those that were put off wait for seconds, as often as there is no room.
      for (const deadline = Date.now() + patience; Date.now() < deadline;) {
        const { body } = await api.get(`${executions}/${id}`).set('Prefer', 'wait=20').expect(200);
        if ((body as { status: string }).status !== 'Pending') return body;
      }
      throw new Error('still Pending');
    }
  },
);
