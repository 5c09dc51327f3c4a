import { headerText } from './mail-server.js';
import { executions, mail, type Sending, startSending } from './sending.js';

const fails = { type: 'update_fields', set: { Count: { expression: 'task["Count"] + 3' } } };

let at: Sending;
beforeAll(async () => {
  at = await startSending({
    tell: [mail({ reply_to: 'desk@acme.test' })],
    fail: [mail(), fails],
    many: [
      mail({
        to: [{ role: 'leads' }, { field: 'Owner' }, '{{Assigned To}}', 'P1@acme.test', { field: 'Contact' }],
      }),
    ],
    nobody: [mail({ to: [{ field: 'Owner' }, '{{Assigned To}}', { role: 'nobody' }] })],
    wrong: [mail({ to: '{{Title}}' })],
  });
});
afterAll(() => at.stop());

// Rule (time.md 5): they leave after commit, text and HTML from one Markdown, each recipient their own message.
describe('send_email', () => {
  it('sends a letter with both parts and the headers of a program, once', async () => {
    const values = { Contact: 'ada@other.test', Title: 'Häuser & <b>Höfe</b>', Note: 'one\ntwo' };
    expect(await at.perform('tell', 'T-1', values)).toEqual({ status: 'Success' });
    const [message] = await at.ended('T-1');
    expect(message).toEqual({
      id: expect.any(String),
      kind: 'email',
      to: 'ada@other.test',
      subject: 'Case T-1: Häuser & <b>Höfe</b>',
      state: 'sent',
      cause: null,
      tries: 1,
      at: expect.any(String),
      task: { unique_id: 'T-1', url: expect.stringContaining('/workflows/cases/tasks/') },
    });
    const [letter, ...others] = await at.mails.lettersTo('ada@other.test');
    expect(others).toEqual([]);
    const header = (name: string): string => headerText(letter?.headers.get(name));
    expect({
      envelope: [letter?.from, letter?.to],
      from: header('from'),
      to: header('to'),
      replyTo: header('reply-to'),
      subject: header('subject'),
      auto: header('auto-submitted'),
      id: header('message-id'),
    }).toEqual({
      envelope: ['wts@acme.test', 'ada@other.test'],
      from: 'Acme <wts@acme.test>',
      to: 'ada@other.test',
      replyTo: 'desk@acme.test',
      subject: 'Case T-1: Häuser & <b>Höfe</b>',
      auto: 'auto-generated',
      id: expect.stringMatching(/^<[\w-]+\.0\.[0-9a-f]{12}@acme\.test>$/),
    });
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

  it('leaves nothing of an execution that fails', async () => {
    expect(await at.perform('fail', 'T-2', { Contact: 'never@other.test', Count: '5' })).toMatchObject({
      status: 'Fail',
    });
    expect(await at.ended('T-2')).toEqual([]);
    expect(at.mails.letters.filter(({ to }) => to === 'never@other.test')).toEqual([]);
  });

  it('shows in the execution that its message was queued', async () => {
    await at.perform('tell', 'T-3', { Contact: 'three@other.test' });
    const listed = await at.api.get(`${executions}?task_id=T-3&_verbose=true`).expect(200);
    expect(listed.body).toMatchObject([{ status: 'Success', steps: [{ name: 'Step 0', status: 'Queued' }] }]);
  });

  it('goes to each person once, whoever names them, and to nobody who has left', async () => {
    expect(await at.perform('many', 'T-4', { Owner: 'p9@acme.test', Contact: 'p0@acme.test' })).toEqual({
      status: 'Success',
    });
    const all = await at.ended('T-4');
    expect(all.map(({ to, state }) => [to, state]).sort()).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 9].map((person) => [`p${person}@acme.test`, 'sent']),
    );
  });

  it('fails where nobody is left to get it, or somebody has no address', async () => {
    expect(await at.perform('nobody', 'T-5')).toEqual({
      status: 'Fail',
      errors: ['Step 0: has no recipient'],
    });
    expect(await at.perform('wrong', 'T-6', { Title: 'a@b.test, c@d.test' })).toEqual({
      status: 'Fail',
      errors: ['Step 0: one of its recipients is not an e-mail address'],
    });
  });
});
