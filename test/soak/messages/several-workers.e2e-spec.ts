import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';
import { type Listed, mail, type Sending, startSending } from '../../messages/sending.js';
import { testOptions } from '../../support/test-options.js';

/** The messages about a case as soon as none of them is queued. */
async function ended(own: Sending, ID: string): Promise<readonly Listed[]> {
  await until('the messages have ended', async () => {
    const all = await own.messages(ID);
    return all.length > 0 && all.every(({ state }) => state !== 'queued');
  });
  return own.messages(ID);
}

describe('several workers', () => {
  it('send each message exactly once', async () => {
    const many = mail({
      to: [...Array.from({ length: 9 }, (_, one) => `m${one}@other.test`), { field: 'Contact' }],
    });
    const own = await startSending({ many: [many] }, { WTS_ROLE: 'api' });
    const settings = {
      WTS_ROLE: 'worker',
      WTS_SMTP_URL: own.service.config.smtpUrl ?? '',
      WTS_MAIL_FROM: own.service.config.mailFrom,
      WTS_BLOB_STORE: own.service.config.blobStore ?? '',
    };
    const start = (): Promise<OtherProcess> =>
      startOtherProcess(own.service.config.databaseUrl ?? '', settings);
    const workers = await Promise.all([start(), start(), start()]);
    const cases = Array.from({ length: 5 }, (_, one) => `W-${one}`);
    await Promise.all(cases.map((ID) => own.perform('many', ID, { Contact: 'tenth@other.test' })));
    for (const ID of cases) {
      const all = await ended(own, ID);
      expect(all.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, () => 'sent'));
    }
    const ids = own.mails.letters.map(({ headers }) => headers.get('message-id'));
    expect([ids.length, new Set(ids).size]).toEqual([50, 50]);
    await Promise.all(workers.map((worker) => worker.stop()));
    await own.stop();
  });
});

describe('a worker that is killed', () => {
  const workers: OtherProcess[] = [];
  let own: Sending;
  beforeAll(async () => {
    own = await startSending({ tell: [mail()] }, { WTS_ROLE: 'api' });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await own.stop();
  });

  async function startWorker(): Promise<OtherProcess> {
    const worker = await startOtherProcess(own.service.config.databaseUrl ?? '', {
      WTS_ROLE: 'worker',
      WTS_SMTP_URL: own.service.config.smtpUrl ?? '',
      WTS_MAIL_FROM: own.service.config.mailFrom,
      ...testOptions({ smtpMs: 60_000, leaseMs: 3000, messageDelaysMs: [0, 100, 100] }),
      WTS_BLOB_STORE: own.service.config.blobStore ?? '',
    });
    workers.push(worker);
    return worker;
  }

  it('between sending and marking leaves it unknown: it is not sent again, and says so', async () => {
    own.mails.behave('ada@other.test', 'content', 'hang');
    const worker = await startWorker();
    await own.perform('tell', 'K-1', { Contact: 'ada@other.test' });
    await until(() => own.mails.contents === 1);
    await worker.kill();
    own.mails.behave('ada@other.test', 'content', undefined);
    await startWorker();
    expect(await ended(own, 'K-1')).toMatchObject([
      {
        state: 'failed',
        cause:
          'it may have been sent: the service ended before the mail server answered, so it is not sent again',
      },
    ]);
    expect(own.mails.contents).toBe(1);
  });

  it('before the content loses nothing: another sends it', async () => {
    own.mails.behave('bob@other.test', 'rcpt', 'hang');
    const [worker] = workers.slice(-1);
    const before = own.mails.connections;
    await own.perform('tell', 'K-2', { Contact: 'bob@other.test' });
    await until(() => own.mails.connections > before);
    await worker?.kill();
    own.mails.behave('bob@other.test', 'rcpt', undefined);
    await startWorker();
    expect(await ended(own, 'K-2')).toMatchObject([{ state: 'sent' }]);
    expect(own.mails.letters.filter(({ to }) => to === 'bob@other.test')).toHaveLength(1);
  });
});
