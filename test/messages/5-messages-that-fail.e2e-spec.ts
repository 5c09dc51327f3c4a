import { doubtMessage, messageLeases } from '../../src/messages/messages.repository.js';
import { signIn, texts } from '../support/console.js';
import { startMailServer } from './mail-server.js';
import { mail, startSending } from './sending.js';

const to = [...Array.from({ length: 9 }, (_, one) => `m${one}@other.test`), { field: 'Contact' }];
const at = await startSending({ tell: [mail()], many: [mail({ to })] });
afterAll(() => at.stop());

/** Longer than the pause before another try. */
const nextTry = 80_000;

/** What became of the one message of a case whose mail the server treats so. */
async function sentTo(address: string, ID: string) {
  expect(await at.perform('tell', ID, { Contact: address })).toEqual({ status: 'Success' });
  const [message] = await at.ended(ID);
  return { state: message?.state, cause: message?.cause, tries: message?.tries };
}

interface Failed {
  readonly data: { readonly task: { readonly unique_id: string }; readonly message: unknown };
}

async function failuresOf(ID: string): Promise<readonly unknown[]> {
  const events = await at.api.read<Failed[]>('/api/v1/events?type=message.failed');
  return events.filter(({ data }) => data.task.unique_id === ID).map(({ data }) => data.message);
}

// Rule (time.md 5): before DATA ended or 4xx again, unknown after DATA not again, 5xx permanent.
describe('mail that is not accepted', () => {
  it('is tried again after 4xx, with the same Message-ID', async () => {
    at.mails.behave('later@other.test', 'content', 451, 1);
    await at.perform('tell', 'F-1', { Contact: 'later@other.test' });
    expect(await at.ended('F-1')).toMatchObject([{ state: 'queued', tries: 1 }]);
    expect(await at.ended('F-1', nextTry)).toMatchObject([{ state: 'sent', cause: null, tries: 2 }]);
    expect(await at.mails.lettersTo('later@other.test')).toHaveLength(1);
  });

  it('fails after the last try, and is recorded as an event', async () => {
    at.mails.behave('never@other.test', 'rcpt', 450);
    const cause = 'the mail server refused it with status 450';
    expect(await sentTo('never@other.test', 'F-2')).toEqual({ state: 'queued', cause, tries: 1 });
    await at.ended('F-2', nextTry);
    expect(await at.ended('F-2', nextTry)).toMatchObject([{ state: 'failed', cause, tries: 3 }]);
    const told = { kind: 'email', to: 'never@other.test', subject: 'Case F-2:', cause, tries: 3 };
    expect(await failuresOf('F-2')).toEqual([{ ...told, id: expect.any(String) }]);
    expect(at.lines.filter((line) => line.includes('"message failed"'))).not.toEqual([]);
    expect(at.lines.join()).not.toContain('planted-secret');
  });

  it('fails at once after 5xx, and is sent when an administrator retries', async () => {
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

  it('is not sent again if it may have been accepted, and says so', async () => {
    at.mails.behave('silent@other.test', 'content', 'break');
    const before = at.mails.contents;
    expect(await sentTo('silent@other.test', 'F-4')).toEqual({
      state: 'failed',
      cause: 'it may have been sent, so it is not sent again: the connection to the mail server broke off',
      tries: 1,
    });
    expect(at.mails.contents - before).toBe(1);
  });

  it("is shown to administrators with its cause, also in the task's history, and can be sent again", async () => {
    const lead = await signIn(at.service, 'p0@acme.test');
    at.mails.behave('bob@other.test', 'rcpt', 550);
    await sentTo('bob@other.test', 'F-6');
    const [message] = await at.messages('F-6');
    const row =
      /^Failed Case F-6: bob@other\.test · F-6 the mail server refused it with status 550 .* Send again$/;
    const page = await lead.get('/admin/messages');
    expect(texts(page, '.rows li')).toContainEqual(expect.stringMatching(row));
    const { pathname } = new URL(message?.task.url ?? '');
    expect(texts(await lead.get(pathname), 'ol li').join()).toMatch(
      /API \(test\) could not send a message of Do tell to bob@other\.test .*refused it with status 550/,
    );
    at.mails.behave('bob@other.test', 'rcpt', undefined);
    const retry = `/admin/messages/${message?.id ?? ''}/retry`;
    expect(page.html.querySelector(`form[action="${retry}"]`)).not.toBeNull();
    expect((await lead.post(retry)).headers['location']).toBe('/admin/messages?done');
    expect(await at.ended('F-6')).toMatchObject([{ state: 'sent' }]);
    const again = await lead.post(retry);
    expect([again.status, again.textOf('.notice.bad')]).toEqual([409, 'This message has already been sent.']);
  });

  // Two claim by hand, as two processes do.
  it('is sent by one worker only, and by another if the worker is lost and cannot have sent it', async () => {
    const { manager } = at.service.dataSource;
    const claimed = async (ID: string) => {
      await at.perform('tell', ID, { Contact: `${ID.toLowerCase()}@other.test` });
      const [row] = await manager.query<[{ workspaceId: number; id: string }]>(
        `SELECT workspace_id AS "workspaceId", id FROM messages WHERE unique_value = $1`,
        [ID],
      );
      const mine = await messageLeases.claim(manager, row, 60_000);
      expect(await messageLeases.claim(manager, row, 60_000)).toBeUndefined();
      if (!mine) throw new Error('was not claimed');
      return mine;
    };
    await claimed('L-1');
    expect(await doubtMessage(manager, await claimed('L-2'))).toBe(true);
    await at.service.settle({ after: 30_000 });
    expect([await at.messages('L-1'), await at.messages('L-2')]).toMatchObject([
      [{ state: 'queued' }],
      [{ state: 'queued' }],
    ]);
    await at.service.settle({ after: 31_000 });
    const cause =
      'it may have been sent: the service ended before the mail server answered, so it is not sent again';
    expect([await at.messages('L-1'), await at.messages('L-2')]).toMatchObject([
      [{ state: 'sent' }],
      [{ state: 'failed', cause }],
    ]);
    expect(at.mails.letters.filter(({ to }) => to === 'l-2@other.test')).toEqual([]);
  });

  it('for one of ten recipients does not stop mail to the others', async () => {
    at.mails.behave('m4@other.test', 'rcpt', 550);
    await at.perform('many', 'F-5', { Contact: 'tenth@other.test' });
    const states = (await at.ended('F-5')).map(({ to, state }) => [to, state]);
    expect(states.filter(([, state]) => state === 'failed')).toEqual([['m4@other.test', 'failed']]);
    expect(states.filter(([, state]) => state === 'sent')).toHaveLength(9);
  });

  it('is listed for administrators only, by state and in pages', async () => {
    await at.api.get('/api/v1/messages').expect(403);
    const failed = await at.admin.read<{ state: string }[]>('/api/v1/messages?state=failed');
    expect(new Set(failed.map(({ state }) => state))).toEqual(new Set(['failed']));
    const page = await at.admin.get('/api/v1/messages?_limit=2').expect(200);
    expect(page.body).toHaveLength(2);
    const [, next = ''] = /<([^>]+)>/.exec(page.headers['link'] ?? '') ?? [];
    const { pathname, search } = new URL(next);
    const all = await at.admin.read<unknown[]>('/api/v1/messages');
    expect(await at.admin.read(pathname + search)).toEqual(all.slice(2, 4));
    await at.admin.get('/api/v1/messages?state=lost').expect(422);
    expect(JSON.stringify(all)).not.toContain('About');
  });

  it('waits while the mail server is unavailable', async () => {
    await at.mails.stop();
    expect(await at.perform('tell', 'A-1', { Contact: 'ada@other.test' })).toEqual({ status: 'Success' });
    expect(await at.ended('A-1')).toMatchObject([
      { state: 'queued', cause: expect.stringContaining('mail server') },
    ]);
    const back = await startMailServer(at.mails.port);
    expect(await at.ended('A-1', nextTry)).toMatchObject([{ state: 'sent' }]);
    expect(back.letters).toHaveLength(1);
    await back.stop();
  });

  it('is deleted 30 days after its end', async () => {
    await at.service.settle({ after: 31 * 86_400_000 });
    expect(await at.messages('F-4')).toEqual([]);
  });
});
