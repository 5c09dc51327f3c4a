import { mailCommands } from '../../src/cli/mail.commands.js';
import { startScriptedServer } from './scripted-server.js';
import { type Ended, wts } from '../support/command-line.js';
import { startMailing } from './mailing.js';

const at = await startMailing();

describe('wts mail', () => {
  afterAll(() => at.stop());

  async function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
    Object.assign(process.env, environment);
    try {
      return await wts(mailCommands(), args, at.service.config.databaseUrl ?? '');
    } finally {
      for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
    }
  }
  const smtp = (url: string) => ({
    WTS_SMTP_URL: url,
    WTS_MAIL_FROM: 'Acme <wts@acme.test>',
  });

  it('test sends one mail at once, and prints the answer of the server', async () => {
    const url = `smtp://user:secret@127.0.0.1:${at.mails.port}`;
    const sent = await run(['test', 'ada@other.test'], smtp(url.replace('user:secret@', '')));
    expect(sent).toEqual({
      code: 0,
      out: 'sent to ada@other.test: 250 OK: message queued\n',
      err: `mail server: smtp://127.0.0.1:${at.mails.port}, from Acme <wts@acme.test>\n`,
    });
    const [letter] = await at.mails.lettersTo('ada@other.test');
    expect(letter?.headers.get('subject')).toBe('Mail of the Workflow Task Service works');
    expect((await run(['test', 'ada@other.test'], smtp(url))).err).not.toContain('secret');
  });

  it('test says why the mail was not sent', async () => {
    const server = await startScriptedServer('RCPT', '550 no such user');
    const { code, out, err } = await run(['test', 'ada@other.test'], smtp(server.url));
    server.stop();
    const why = 'not sent to ada@other.test: the mail server refused it: 550 no such user';
    expect([code, out, err.split('\n')[1]]).toEqual([1, '', why]);
  });

  it('test names the missing settings', async () => {
    expect(await run(['test', 'ada@other.test'])).toMatchObject({ code: 1, err: 'There is no mail server: set WTS_SMTP_URL.\n' }); // prettier-ignore
    expect(await run(['test', 'ada'], smtp('file:./x'))).toMatchObject({ code: 1, err: '"ada" is not an e-mail address.\n' }); // prettier-ignore
  });
});
