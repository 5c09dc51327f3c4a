import { sweepBlobs } from '../../src/tasks/files/sweep-blobs.js';
import { answerWith } from '../support/receiver.js';
import { headerText } from './mail-server.js';
import { cases, executions, mail, post, startSending } from './sending.js';

const fails = { type: 'update_fields', set: { Count: { expression: 'task["Count"] + 3' } } };

const at = await startSending({
  tell: [mail({ reply_to: 'desk@acme.test' })],
  fail: [mail(), fails],
  many: [
    mail({
      to: [{ role: 'leads' }, { field: 'Owner' }, '{{Assigned To}}', 'P1@acme.test', { field: 'Contact' }],
    }),
  ],
  nobody: [mail({ to: [{ field: 'Owner' }, '{{Assigned To}}', { role: 'nobody' }] })],
  wrong: [mail({ to: '{{Title}}' })],
  attach: [mail({ attach: ['Papers', 'Photos'] })],
  last: [mail({ attach: ['Papers'] }), { type: 'delete_task' }],
  slack: [post('to-slack')],
  teams: [post('to-teams')],
  webhook: [post('to-webhook')],
});
afterAll(() => at.stop());

// Rule (time.md 5): they leave after commit, text and HTML from one Markdown, each recipient their own message.
describe('send_email', () => {
  it('sends a letter with both parts and the headers of a program, once', async () => {
    const values = { Contact: 'ada@other.test', Title: 'Häuser & <b>Höfe</b>', Note: 'one\ntwo' };
    expect(await at.perform('tell', 'T-1', values)).toEqual({ status: 'Success' });
    expect(await at.api.read(`${executions}?task_id=T-1&_verbose=true`)).toMatchObject([
      { steps: [{ name: 'Step 0', status: 'Queued' }] },
    ]);
    const [message] = await at.ended('T-1');
    expect(message).toMatchObject({
      ...{ kind: 'email', to: 'ada@other.test', subject: 'Case T-1: Häuser & <b>Höfe</b>' },
      ...{ state: 'sent', cause: null, tries: 1, task: { unique_id: 'T-1' } },
    });
    const [letter, ...others] = await at.mails.lettersTo('ada@other.test');
    expect(others).toEqual([]);
    const header = (name: string): string => headerText(letter?.headers.get(name));
    expect([letter?.from, letter?.to]).toEqual(['wts@acme.test', 'ada@other.test']);
    const names = ['from', 'to', 'reply-to', 'subject', 'auto-submitted'];
    expect(names.map(header)).toEqual([
      'Acme <wts@acme.test>',
      'ada@other.test',
      'desk@acme.test',
      'Case T-1: Häuser & <b>Höfe</b>',
      'auto-generated',
    ]);
    expect(header('message-id')).toMatch(/^<[\w-]+\.0\.[0-9a-f]{12}@acme\.test>$/);
    const url = message?.task.url ?? '';
    expect(letter?.parts.get('text/plain')?.trim().split(/\r?\n/)).toEqual([
      '# About Häuser & <b>Höfe</b>',
      '',
      `See [**T-1**](${url}):`,
      '',
      '- one',
      'two',
      '- [site](Häuser & <b>Höfe</b>)',
    ]);
    const html = letter?.parts.get('text/html')?.replace(/\r\n/g, '\n');
    expect(html).toContain('<h1>About Häuser &amp; &lt;b&gt;Höfe&lt;/b&gt;</h1>');
    expect(html).toContain(`<a href="${url}"><strong>T-1</strong></a>`);
    expect(html).toContain('<li>one<br>\ntwo</li>');
  });

  it('sends nothing if the execution fails', async () => {
    expect(await at.perform('fail', 'T-2', { Contact: 'never@other.test', Count: '5' })).toMatchObject({
      status: 'Fail',
    });
    expect(await at.ended('T-2')).toEqual([]);
    expect(at.mails.letters.filter(({ to }) => to === 'never@other.test')).toEqual([]);
  });

  it('sends one letter to each person, whoever names them, and none to users who have left', async () => {
    await at.perform('many', 'T-4', { Owner: 'p9@acme.test', Contact: 'p0@acme.test' });
    const all = await at.ended('T-4');
    expect(all.map(({ to, state }) => [to, state]).sort()).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 9].map((person) => [`p${person}@acme.test`, 'sent']),
    );
  });

  it('fails if no recipient is left, or if a recipient has no address', async () => {
    expect((await at.perform('nobody', 'T-5')).errors).toEqual([
      'Step 0: has no recipient: no usable address in Owner or {{Assigned To}} or the role nobody',
    ]);
    expect((await at.perform('wrong', 'T-6', { Title: 'a@b.test, c@d.test' })).errors).toEqual([
      'Step 0: one of its recipients is not an e-mail address',
    ]);
  });
});

/** What the first call to this path has sent. */
const bodyOf = (path: string): unknown => JSON.parse(at.receiver.of(path)[0]?.body ?? 'null');

// Rule (time.md 5): through the guarded client; markup of values defused.
describe('post_message', () => {
  it('posts to Slack, at a URL with a secret that is shown nowhere', async () => {
    await at.perform('slack', 'P-1', { Title: '<!channel> & @everyone' });
    expect(await at.ended('P-1')).toMatchObject([
      { kind: 'post', to: 'to-slack', subject: null, state: 'sent', cause: null, tries: 1 },
    ]);
    expect(bodyOf('/slack/planted-secret')).toEqual({
      text: 'Case *P-1*: &lt;!channel&gt; &amp; @\u200beveryone',
    });
    expect(JSON.stringify(await at.messages('P-1'))).not.toContain('planted');
  });

  it('posts text and task to any other system, and a card to Teams', async () => {
    await at.perform('teams', 'P-2', { Title: 'x' });
    await at.perform('webhook', 'P-3', { Title: 'x' });
    const [message] = await at.ended('P-3');
    expect(bodyOf('/teams')).toMatchObject({ type: 'message' });
    expect(bodyOf('/webhook')).toEqual({ text: 'Case *P-3*: x', task: message?.task });
  });

  it('tries again after 429 and 5xx with the same key, and not after another 4xx', async () => {
    at.receiver.answer('/webhook', (response, call, earlier) => {
      answerWith(earlier === 1 ? 503 : earlier === 2 ? 200 : 404)(response, call, earlier);
    });
    await at.perform('webhook', 'P-4', { Title: 'x' });
    expect(await at.ended('P-4')).toMatchObject([{ state: 'queued', tries: 1 }]);
    expect(await at.ended('P-4', 80_000)).toMatchObject([{ state: 'sent', tries: 2 }]);
    const keys = at.receiver
      .of('/webhook')
      .slice(1, 3)
      .map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    await at.perform('webhook', 'P-5', { Title: 'x' });
    expect(await at.ended('P-5')).toMatchObject([
      { state: 'failed', cause: 'was answered with status 404', tries: 1 },
    ]);
  });
});

const file = (filename: string, text: string) => ({
  filename,
  contentType: 'text/csv',
  base64contents: Buffer.from(text).toString('base64'),
});

const sweep = (): Promise<number> => sweepBlobs(at.service.dataSource.manager, at.service.blobs, 0);

async function upload(ID: string, field: string, bytes: number): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(bytes, 'x')], { type: 'image/png' }), 'large.png');
  const headers = { Authorization: `Bearer ${await at.service.key('acme')}` };
  const url = `${at.service.url}${cases}/${ID}/attachments/${field}`;
  expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);
}

describe('a mail with files of its task', () => {
  it('has the files of these fields with their names and types, as they were stored', async () => {
    const Papers = [file('Prüf "1".csv', 'a;b\n1;ä\n'), file('two.csv', 'second')];
    const values = { Contact: 'files@other.test', Title: 't', Papers, Photos: [file('p.csv', 'photo')] };
    expect(await at.perform('attach', 'A-1', values)).toEqual({ status: 'Success' });
    await at.ended('A-1');
    const [letter] = await at.mails.lettersTo('files@other.test');
    const raw = letter?.raw ?? '';
    expect(raw).toMatch(/^Content-Type: multipart\/mixed/im);
    expect(raw).toMatch(/text\/html/);
    for (const { base64contents } of [...Papers, ...values.Photos]) expect(raw).toContain(base64contents);
    expect(raw.match(/^Content-Type: text\/csv/gim)).toHaveLength(3);
    expect(raw).toContain('filename=two.csv');
  });

  it('"10 MB together, else the step fails": nothing is sent', async () => {
    await at.api.post(cases, { ID: 'A-3', Contact: 'large@other.test' }).expect(201);
    for (const field of ['Papers', 'Photos']) await upload('A-3', field, 6 * 2 ** 20 - 10);
    const sent = { task_id: 'A-3', action_id: 'attach' };
    const { body } = await at.api.post('/api/v1/workflows/cases/executions', sent).set('Prefer', 'wait=20');
    expect(body).toMatchObject({ errors: ['Step 0: the attachments have 12 MB; at most 10 MB are allowed'] });
    expect(await at.messages('A-3')).toEqual([]);
  });

  it('keeps the blobs until it is sent, even if the file or the task is deleted meanwhile', async () => {
    at.mails.behave('kept@other.test', 'rcpt', 550);
    const values = { Contact: 'kept@other.test', Papers: [file('kept.csv', 'kept to the end')] };
    expect(await at.perform('last', 'A-4', values)).toEqual({ status: 'Success' });
    const [failed] = await at.ended('A-4');
    expect(failed?.state).toBe('failed');
    await at.api.get(`${cases}/A-4`).expect(404);
    expect(await sweep()).toBe(0);

    at.mails.behave('kept@other.test', 'rcpt', undefined);
    await at.admin.post(`/api/v1/messages/${failed?.id ?? ''}/retry`).expect(202);
    expect((await at.ended('A-4')).map(({ state }) => state)).toEqual(['sent']);
    const [letter] = await at.mails.lettersTo('kept@other.test');
    expect(letter?.raw).toContain(Buffer.from('kept to the end').toString('base64'));
    expect(await sweep()).toBe(1);
  });
});
