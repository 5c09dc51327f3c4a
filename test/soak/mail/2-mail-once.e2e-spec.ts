import { signIn } from '../../support/console.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';
import { headerText, type TakenLetter } from '../../messages/mail-server.js';
import { acme, linesOf, type Mailing, startMailing, tickets } from './mailing.js';
import { testOptions } from '../../support/test-options.js';

const subjectOf = (letter: TakenLetter | undefined): string => headerText(letter?.headers.get('subject'));

// Rule (people.md 2.6): once, honestly: unknown after DATA waits for the next digest.
describe('a letter about what happened', () => {
  let at: Mailing;
  beforeAll(async () => {
    // A server that hangs is waited for, but not for the default of 30 s.
    at = await startMailing(acme(), testOptions({ smtpMs: 3000, messageDelaysMs: [0, 100, 100] }));
  });
  afterAll(() => at.stop());

  it('whose answer was lost is not sent again: its contents wait for the next digest', async () => {
    await at.setTime('2027-03-01T12:00:00Z');
    at.mails.behave('ada@acme.test', 'content', 'hang');
    await at.assign('H-1', 'ada', 'lost');
    const contents = at.mails.contents;
    await at.pass(6);
    expect(await at.settled()).toEqual([]);
    expect(at.mails.contents).toBe(contents + 1);
    expect((await at.states()).at(-1)).toBe('assigned digest');
    at.mails.behave('ada@acme.test', 'content', undefined);
    await at.pass(60);
    expect(await at.settled()).toEqual([]);
    await at.setTime('2027-03-02T07:01:00Z');
    const letters = await at.settled();
    expect(letters.map((letter) => [letter.to, subjectOf(letter)])).toEqual([
      ['ada@acme.test', 'Updates in Acme'],
    ]);
    expect(linesOf(letters[0])).toContain('H-1: lost:');
    expect((await at.states()).at(-1)).toBe('assigned sent');
    await at.setTime('2027-03-03T07:01:00Z');
    expect(await at.settled()).toEqual([]);
  });

  it('is sent once by two processes, whichever looks first', async () => {
    await at.setTime('2027-03-05T12:00:00Z');
    const others: OtherProcess[] = [];
    for (const _ of [1, 2])
      others.push(
        await startOtherProcess(at.service.config.databaseUrl ?? '', {
          WTS_SMTP_URL: `smtp://127.0.0.1:${at.mails.port}`,
          WTS_MAIL_FROM: 'Acme <wts@acme.test>',
          ...at.time,
        }),
      );
    const names = ['mina', 'theo', 'ines', 'cleo', 'dora', 'emma', 'fay', 'gina'];
    const letters = await (async () => {
      await Promise.all(Array.from({ length: 40 }, (_, n) => at.assign(`P-${n}`, names[n % 8] ?? '')));
      await at.pass(6);
      return at.settled();
    })().finally(() => Promise.all(others.map((each) => each.stop())));
    const told = letters.map(subjectOf).filter((subject) => subject.startsWith('P-'));
    expect(told.length).toBe(40);
    expect(new Set(told).size).toBe(40);
    const ids = letters.map(({ headers }) => headers.get('message-id'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is not sent where it was read while the letter was on its way to the server', async () => {
    await at.setTime('2027-03-06T12:00:00Z');
    let goOn: (() => void) | undefined;
    at.mails.behave('cleo@acme.test', 'rcpt', new Promise<void>((resolve) => (goOn = resolve)));
    await at.assign('H-3', 'cleo');
    const { connections, contents } = at.mails;
    await at.pass(6);
    await until(() => at.mails.connections > connections);
    await at.service.dataSource.query(`UPDATE notifications SET read_at = now() WHERE read_at IS NULL`);
    goOn?.();
    await at.settled();
    expect([(await at.states()).at(-1), at.mails.contents]).toEqual(['assigned none', contents]);
    at.mails.behave('cleo@acme.test', 'rcpt', undefined);
  });

  // Rule (task): SMTP that hangs leaves the rest of the service unharmed.
  it('to a server that hangs keeps nobody else waiting', async () => {
    await at.setTime('2027-03-07T12:00:00Z');
    for (const name of ['theo', 'dora', 'emma', 'fay']) at.mails.behave(`${name}@acme.test`, 'rcpt', 'hang');
    for (let n = 0; n < 24; n += 1) await at.assign(`G-${n}`, ['theo', 'dora', 'emma', 'fay'][n % 4] ?? '');
    await at.assign('G-last', 'gina');
    await at.pass(6);
    const asked = Date.now();
    await Promise.all(Array.from({ length: 30 }, () => at.api.get(tickets).expect(200)));
    await at.assign('G-after', 'mina');
    const mina = await signIn(at.service, 'mina@acme.test');
    expect((await mina.get('/account')).status).toBe(200);
    expect(Date.now() - asked).toBeLessThan(20_000);
    await until(() => at.mails.letters.some((letter) => subjectOf(letter) === 'G-last'));
    for (const name of ['theo', 'dora', 'emma', 'fay'])
      at.mails.behave(`${name}@acme.test`, 'rcpt', undefined);
  });
});

describe('a worker that ends while the mail server has the content', () => {
  it('leaves a letter that nobody sends again: its contents wait for the next digest', async () => {
    const at = await startMailing(acme(), { WTS_ROLE: 'api' });
    const startWorker = (): Promise<OtherProcess> =>
      startOtherProcess(at.service.config.databaseUrl ?? '', {
        WTS_SMTP_URL: `smtp://127.0.0.1:${at.mails.port}`,
        WTS_MAIL_FROM: 'wts@acme.test',
        WTS_ROLE: 'worker',
        ...at.time,
        ...testOptions({ leaseMs: 1000 }),
      });
    const first = await startWorker();
    at.mails.behave('bea@acme.test', 'content', 'hang');
    await at.assign('H-2', 'bea');
    await at.pass(6);
    await until(() => at.mails.contents > 0);
    await first.kill();
    const second = await startWorker();
    try {
      await at.settled();
      expect([await at.states(), at.mails.contents]).toEqual([['assigned digest'], 1]);
    } finally {
      await second.stop();
      await at.stop();
    }
  });
});

// Rule (people.md 2.5): watching daily at 08:00 in the person's zone.
describe('the digest', () => {
  let at: Mailing;
  beforeAll(async () => {
    at = await startMailing();
  });
  afterAll(() => at.stop());

  it('tells its reader at 08:00 local time what happened to the watched tasks', async () => {
    // Clocks in Berlin are set forward on the 28th.
    await at.setTime('2027-03-27T12:00:00Z');
    await at.service.dataSource.query(
      `UPDATE users SET time_zone = 'America/New_York' WHERE email = 'theo@acme.test'`,
    );
    await at.service.dataSource.query(
      `UPDATE users SET time_zone = 'Mars/Olympus' WHERE email = 'ada@acme.test'`,
    );
    for (const name of ['theo', 'ada', 'bea']) {
      await at.api.post(tickets, { ID: `W-${name}`, Name: `of ${name}` }).expect(201);
      await at.comment(`W-${name}`, 'I take part', name);
      await at.comment(`W-${name}`, 'seen?', 'mina');
    }
    await at.pass(0);
    await at.service.dataSource.query(`UPDATE notifications SET read_at = now() WHERE user_id = (SELECT id FROM users WHERE email = 'mina@acme.test')`); // prettier-ignore
    await at.setTime('2027-03-28T05:59:00Z');
    expect(await at.settled()).toEqual([]);
    await at.setTime('2027-03-28T06:00:30Z');
    const inBerlin = await at.settled();
    expect(inBerlin.map(({ to }) => to).sort()).toEqual(['ada@acme.test', 'bea@acme.test']);
    await at.setTime('2027-03-28T11:59:00Z');
    expect(await at.settled()).toEqual([]);
    await at.setTime('2027-03-28T12:00:30Z');
    const [letter] = await at.settled();
    expect([letter?.to, subjectOf(letter), letter?.headers.get('references')]).toEqual([
      'theo@acme.test',
      'Updates in Acme',
      expect.stringMatching(/^<digest\.[\w-]+@acme\.test>$/),
    ]);
    expect(linesOf(letter)).toEqual([
      'Updates on tasks that you watch, and what you have not read yet:',
      'W-theo: of theo:',
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d – Mina commented:$/),
      'seen?',
      'Unsubscribe from these mails:',
      expect.stringMatching(/^https:/),
    ]);
    await at.setTime('2027-03-29T12:00:30Z');
    expect(await at.settled()).toEqual([]);
  });

  it('tells of the last of very many changes, and how many tasks are left', async () => {
    await at.setTime('2027-04-01T12:00:00Z');
    const rows = Array.from({ length: 70 }, (_, n) => ({ ID: `D-${n}`, Name: 'one' }));
    for (const row of rows) await at.api.post(tickets, row).expect(201);
    await at.pass(0);
    await at.service.dataSource.query(`
      INSERT INTO watchers (workspace_id, task_id, user_id, workflow_id, state)
      SELECT t.workspace_id, t.id, u.id, t.workflow_id, 'on' FROM tasks t JOIN users u ON u.email = 'dora@acme.test'
      WHERE t.unique_value LIKE 'D-%'`);
    for (const { ID } of rows) await at.api.post(tickets, { ID, Name: 'two' }).expect(200);
    await at.pass(0);
    await at.setTime('2027-04-02T06:01:00Z');
    const [letter, ...others] = await at.settled();
    expect([letter?.to, others]).toEqual(['dora@acme.test', []]);
    expect(linesOf(letter).filter((line) => line.startsWith('D-'))).toHaveLength(50);
    expect(linesOf(letter)).toContain('20 more tasks are in your inbox.');
  });
});
