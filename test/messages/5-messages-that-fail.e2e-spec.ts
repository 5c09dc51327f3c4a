import { startMailServer } from './mail-server.js';
import { mail, type Sending, startSending } from './sending.js';
import { type OtherProcess, startOtherProcess } from '../support/other-process.js';
import { until } from '../support/until.js';

let at: Sending;
beforeAll(async () => {
  at = await startSending(
    {
      tell: [mail()],
      many: [
        mail({ to: [...Array.from({ length: 9 }, (_, one) => `m${one}@other.test`), { field: 'Contact' }] }),
      ],
    },
    // A server that hangs is waited for, but not for the default of 30 s.
    { WTS_SMTP_MS: '5000' },
  );
});
afterAll(() => at.stop());

/** What became of the one message of a case whose mail the server treats so. */
async function sentTo(address: string, ID: string) {
  expect(await at.perform('tell', ID, { Contact: address })).toEqual({ status: 'Success' });
  const [message] = await at.ended(ID);
  return { state: message?.state, cause: message?.cause, tries: message?.tries };
}

async function failuresOf(ID: string): Promise<readonly unknown[]> {
  const { body } = await at.api.get('/api/v1/events?type=message.failed').expect(200);
  const events = body as readonly { data: { task: { unique_id: string }; message: unknown } }[];
  return events.filter((event) => event.data.task.unique_id === ID).map((event) => event.data.message);
}

// Rule (time.md 5): before DATA ended or 4xx again, unknown after DATA not again, 5xx permanent.
describe('mail that is not taken', () => {
  it('is tried again after 4xx, with the same Message-ID', async () => {
    at.mails.behave('later@other.test', 'content', 451, 1);
    await at.perform('tell', 'F-1', { Contact: 'later@other.test' });
    const [message] = await at.ended('F-1');
    expect(message).toMatchObject({ state: 'sent', cause: null, tries: 2 });
    expect(await at.mails.lettersTo('later@other.test')).toHaveLength(1);
  });

  it('fails after the last try, and an event says so', async () => {
    at.mails.behave('never@other.test', 'rcpt', 450);
    const cause = 'the mail server refused it with status 450';
    expect(await sentTo('never@other.test', 'F-2')).toEqual({ state: 'failed', cause, tries: 3 });
    expect(await failuresOf('F-2')).toEqual([
      {
        id: expect.any(String),
        kind: 'email',
        to: 'never@other.test',
        subject: 'Case F-2:',
        cause,
        tries: 3,
      },
    ]);
    expect(at.lines.filter((line) => line.includes('"message failed"'))).not.toEqual([]);
    expect(at.lines.join()).not.toContain('planted-secret');
  });

  it('fails at once after 5xx, and is sent by a retry of an administrator', async () => {
    at.mails.behave('gone@other.test', 'rcpt', 550);
    const cause = 'the mail server refused it with status 550';
    expect(await sentTo('gone@other.test', 'F-3')).toEqual({ state: 'failed', cause, tries: 1 });
    at.mails.behave('gone@other.test', 'rcpt', undefined);
    const id = (await at.messages('F-3'))[0]?.id ?? '';
    await at.api.post(`/api/v1/messages/${id}/retry`).expect(403);
    await at.admin.post(`/api/v1/messages/${id}/retry`).expect(202);
    expect(await at.ended('F-3')).toMatchObject([{ state: 'sent', cause: null, tries: 1 }]);
    expect((await at.admin.post(`/api/v1/messages/${id}/retry`).expect(409)).body).toMatchObject({
      detail: 'This message has already been sent.',
    });
    await at.admin.post('/api/v1/messages/nothing/retry').expect(404);
  });

  it('that may have been taken is not sent again, and says so', async () => {
    at.mails.behave('silent@other.test', 'content', 'hang');
    const before = at.mails.contents;
    expect(await sentTo('silent@other.test', 'F-4')).toEqual({
      state: 'failed',
      cause: 'it may have been sent, so it is not sent again: the mail server took too long',
      tries: 1,
    });
    expect(at.mails.contents - before).toBe(1);
  });

  it('for one of ten recipients keeps nobody else from theirs', async () => {
    at.mails.behave('m4@other.test', 'rcpt', 550);
    await at.perform('many', 'F-5', { Contact: 'tenth@other.test' });
    const states = (await at.ended('F-5')).map(({ to, state }) => [to, state]);
    expect(states.filter(([, state]) => state === 'failed')).toEqual([['m4@other.test', 'failed']]);
    expect(states.filter(([, state]) => state === 'sent')).toHaveLength(9);
  });

  it('is listed for administrators alone, by state and in pages', async () => {
    await at.api.get('/api/v1/messages').expect(403);
    const failed = (await at.admin.get('/api/v1/messages?state=failed').expect(200)).body as {
      state: string;
    }[];
    expect(new Set(failed.map(({ state }) => state))).toEqual(new Set(['failed']));
    const page = await at.admin.get('/api/v1/messages?_limit=2').expect(200);
    expect(page.body).toHaveLength(2);
    const [, next = ''] = /<([^>]+)>/.exec(page.headers['link'] ?? '') ?? [];
    const { pathname, search } = new URL(next);
    const all = (await at.admin.get('/api/v1/messages').expect(200)).body as unknown[];
    expect((await at.admin.get(pathname + search).expect(200)).body).toEqual(all.slice(2, 4));
    await at.admin.get('/api/v1/messages?state=lost').expect(422);
    expect(JSON.stringify(all)).not.toContain('About');
  });

  it('is forgotten 30 days after it has ended', async () => {
    const id = (await at.messages('F-4'))[0]?.id ?? '';
    const age = `UPDATE messages SET finished_at = finished_at - interval '31 days' WHERE id = $1`;
    await at.service.dataSource.query(age, [id]);
    const { dropSome } = await import('../../src/database/leftovers.js');
    const { oldMessages } = await import('../../src/messages/messages.repository.js');
    // The service may have been first.
    await dropSome(at.service.dataSource.manager, oldMessages);
    expect([await at.messages('F-4'), (await at.messages('F-3')).length]).toEqual([[], 1]);
  });
});

describe('a mail server that is away', () => {
  it('gets what waits when it is back', async () => {
    const gone = await startMailServer();
    const { port } = gone;
    await gone.stop();
    const delays = { WTS_MESSAGE_DELAYS: Array.from({ length: 50 }, () => '0.2').join() };
    const own = await startSending(
      { tell: [mail()] },
      { WTS_SMTP_URL: `smtp://127.0.0.1:${port}`, ...delays },
    );
    expect(await own.perform('tell', 'A-1', { Contact: 'ada@other.test' })).toEqual({ status: 'Success' });
    await until(async () => ((await own.messages('A-1'))[0]?.tries ?? 0) > 1);
    expect(await own.messages('A-1')).toMatchObject([
      { state: 'queued', cause: expect.stringContaining('mail server') },
    ]);
    const back = await startMailServer(port);
    expect(await own.ended('A-1')).toMatchObject([{ state: 'sent' }]);
    expect(back.letters).toHaveLength(1);
    await own.stop();
    await back.stop();
  });
});

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
      const all = await own.ended(ID);
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
      WTS_SMTP_MS: '60000',
      WTS_LEASE_MS: '3000',
      WTS_MESSAGE_DELAYS: '0,0.1,0.1',
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
    expect(await own.ended('K-1')).toMatchObject([
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
    expect(await own.ended('K-2')).toMatchObject([{ state: 'sent' }]);
    expect(own.mails.letters.filter(({ to }) => to === 'bob@other.test')).toHaveLength(1);
  });
});
