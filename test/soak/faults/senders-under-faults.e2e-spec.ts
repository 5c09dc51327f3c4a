import { neverAnswer, type Receiver, startReceiver } from '../../support/receiver.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { startService, type TestService } from '../../support/service.js';
import { definition } from '../../webhooks/webhooks.js';
import { until } from '../../support/until.js';

// A sender of a slow machine must be able to renew it in time, and all ends before the receiver's 15 s are over.
const leaseMs = 3000;

describe('a sender that sleeps for longer than its lease', () => {
  let service: TestService;
  let receiver: Receiver;
  const senders: OtherProcess[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startService({ WTS_ROLE: 'api' });
    await service.apply(definition);
  });
  afterAll(async () => {
    await Promise.all(senders.map((sender) => sender.kill()));
    receiver.stop();
    await service.stop();
  });

  async function startSender(): Promise<OtherProcess> {
    const environment = {
      WTS_ROLE: 'worker',
      WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
      WTS_LEASE_MS: String(leaseMs),
      WTS_LOG_LEVEL: 'silent',
      WTS_BLOB_STORE: service.config.blobStore ?? '',
    };
    const sender = await startOtherProcess(service.config.databaseUrl ?? '', environment);
    senders.push(sender);
    return sender;
  }

  interface Claim {
    readonly fence: number;
    readonly until: Date | null;
  }

  /** Who has the receiver, as the database knows it. */
  async function claim(): Promise<Claim> {
    const [row] = await service.dataSource.query<[Claim]>(
      'SELECT fence, lease_until AS until FROM webhook_receivers',
    );
    return row;
  }

  it('"a worker that lost its lease changes nothing": the receiver stays with the next one', async () => {
    const api = service.client(await service.key('acme', 'admin'));
    await api.post('/api/v1/webhooks', { url: receiver.url, events: ['task.created'] }).expect(201);
    receiver.answer('/', neverAnswer);
    await api.post('/api/v1/workflows/vendors/tasks', { ID: '1' }).expect(201);
    const first = await startSender();
    await receiver.called('/', 1);
    process.kill(first.pid, 'SIGSTOP');
    await startSender();
    await receiver.called('/', 2);
    process.kill(first.pid, 'SIGCONT');
    // The second one holds it all the while, for twice as long as the first needs to notice, and to look for more to do.
    const { fence, until: from } = await claim();
    await until('renewals', async () => {
      const now = await claim();
      expect([now.fence, now.until === null]).toEqual([fence, false]);
      return Number(now.until) - Number(from) > 2 * leaseMs;
    });
    expect(receiver.of('/')).toHaveLength(2);
  });
});
