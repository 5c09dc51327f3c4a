import { sendBatch } from '../support/batch.js';
import { openBrowser, signIn, texts } from '../support/console.js';
import { headerText, type TakenLetter } from '../messages/mail-server.js';
import { acme, linesOf, type Mailing, startMailing, tickets } from './mailing.js';

const header = (letter: TakenLetter | undefined, name: string): string =>
  headerText(letter?.headers.get(name));
const subjects = (letters: readonly TakenLetter[]): string[][] =>
  letters.map((letter) => [letter.to, header(letter, 'subject')]).sort();
const unsubscribePath = (letter: TakenLetter | undefined): string =>
  new URL(header(letter, 'list-unsubscribe').slice(1, -1)).pathname;

// Rule (people.md 2.5): direct reasons in windows of 5 minutes, watching daily at 08:00 in the person's zone; only what is
// still unread; a window sends one mail a task, one thread a task.
describe('mail of notifications', () => {
  let at: Mailing;
  beforeAll(async () => {
    at = await startMailing();
    // Far from the time of the digest.
    await at.setTime('2027-03-01T12:00:00Z');
  });
  afterAll(() => at.stop());

  it('comes when its window closes, one letter a task, with the headers of a list', async () => {
    await at.assign('T-1', 'theo', 'Häuser & <b>Höfe</b>');
    await at.comment('T-1', '@theo@acme.test look at\nthis <script>', 'mina');
    await at.assign('T-2', 'theo');
    await at.pass(4);
    expect(await at.settled()).toEqual([]);
    await at.pass(2);
    const letters = await at.settled();
    expect(subjects(letters)).toEqual([
      ['theo@acme.test', 'T-1: Häuser & <b>Höfe</b>'],
      ['theo@acme.test', 'T-2'],
    ]);
    const letter = letters.find((one) => header(one, 'subject').startsWith('T-1'));
    const task = (await at.api.read<Record<string, string>>(`${tickets}/T-1`))['Task URL']?.split('/').at(-1);
    const headers = {
      from: 'Acme <wts@acme.test>',
      to: 'theo@acme.test',
      'auto-submitted': 'auto-generated',
      references: `<task.${task}@acme.test>`,
      'in-reply-to': `<task.${task}@acme.test>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    };
    for (const [name, value] of Object.entries(headers)) expect(header(letter, name)).toBe(value);
    expect(header(letter, 'message-id')).toMatch(/^<notification\.[\da-f]{32}@acme\.test>$/);
    expect(header(letter, 'list-unsubscribe')).toMatch(
      /^<https:\/\/wts\.acme\.test\/unsubscribe\/\d+\.[\w-]+>$/,
    );
    expect(linesOf(letter)).toEqual([
      expect.stringMatching(/ – test assigned this to you$/),
      expect.stringMatching(/ – Mina mentioned you:$/),
      '@theo@acme.test look at',
      'this <script>',
      'Open T-1:',
      `https://wts.acme.test/workflows/tickets/tasks/${task}`,
      'Unsubscribe from these mails:',
      header(letter, 'list-unsubscribe').slice(1, -1),
    ]);
    expect(letter?.parts.get('text/html')).toContain('this &#60;script&#62;');
    // One thread a task: the next window refers to the same id by another letter.
    await at.comment('T-1', '@theo@acme.test again', 'mina');
    await at.pass(6);
    const [next] = await at.settled();
    expect([header(next, 'references'), header(next, 'subject')]).toEqual([
      header(letter, 'references'),
      header(letter, 'subject'),
    ]);
    expect(header(next, 'message-id')).not.toBe(header(letter, 'message-id'));
    await at.pass(10);
    expect(await at.settled()).toEqual([]);
  });

  it('lists only unread notifications', async () => {
    await at.assign('T-4', 'bea');
    await at.assign('T-5', 'bea');
    await at.settled();
    await at.service.dataSource.query(
      `UPDATE notifications SET read_at = now() WHERE task_id = (SELECT id FROM tasks WHERE unique_value = 'T-4')`,
    );
    await at.pass(6);
    expect(subjects(await at.settled())).toEqual([['bea@acme.test', 'T-5']]);
  });

  // Rule (people.md 2.2): access is checked when made, when read and when sent.
  it('is not sent to somebody who lost access a second ago', async () => {
    await at.assign('T-6', 'ines', 'secret');
    await at.assign('T-7', 'ines', 'hers');
    await at.settled();
    await at.api.post(tickets, { ID: 'T-6', 'Assigned To': 'mina@acme.test' });
    await at.pass(6);
    expect(subjects(await at.settled())).toContainEqual(['ines@acme.test', 'T-7: hers']);
    expect(at.mails.letters.filter(({ to }) => to === 'ines@acme.test')).toHaveLength(1);
    await at.comment('T-6', '@theo@acme.test more', 'mina');
    await at.settled();
    await at.service.apply(acme({ theo: 'own' }));
    await at.pass(6);
    expect((await at.settled()).filter(({ to }) => to === 'theo@acme.test')).toEqual([]);
    await at.service.apply(acme());
    await at.pass(6);
    expect(await at.settled()).toEqual([]);
  });

  it('is not sent of a task that was deleted, nor to who was deactivated', async () => {
    await at.assign('T-8', 'bea');
    await at.assign('T-9', 'cleo');
    await at.settled();
    await at.api.delete(`${tickets}/T-8`).expect(204);
    await at.service.apply(acme().replace('email: cleo@acme.test', 'email: cleo@acme.test, active: false'));
    await at.pass(6);
    expect(await at.settled()).toEqual([]);
    await at.service.apply(acme());
  });

  // Rule (people.md 5): above 50 assignments to one person in one request: one line and one mail.
  it('sends one letter for all tasks that one request has assigned', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({ ID: `M-${n}`, 'Assigned To': 'dora@acme.test' }));
    await sendBatch(at.service, 'acme', tickets, rows);
    await at.pass(6);
    const letters = await at.settled();
    expect(subjects(letters)).toEqual([['dora@acme.test', '51 tasks of Tickets were assigned to you']]);
    expect(linesOf(letters[0])).toContain('https://wts.acme.test/');
  });

  it('is dropped if its task, or item of a checklist, is done or with somebody else when it would be sent', async () => {
    const changes = {
      given: { 'Assigned To': 'mina@acme.test' },
      freed: { 'Assigned To': null },
      closed: { Stage: 'Done' },
    };
    for (const ID of Object.keys(changes)) await at.assign(ID, 'fay');
    await at.api.post(tickets, { ID: 'W-items' }).expect(201);
    const items = `${tickets}/W-items/checklist_items`;
    const add = (title: string): Promise<{ id: string }> =>
      at.api.send(items, { title, Stage: 'New', 'Assigned To': 'fay@acme.test' });
    const [done, given] = [await add('done'), await add('given'), await add('open')];
    await at.settled();
    for (const [ID, change] of Object.entries(changes))
      await at.api.put(tickets, { ID, ...change }).expect(200);
    await at.api.put(`${items}/${done.id}`, { status: 'Completed' }).expect(200);
    await at.api.put(`${items}/${given.id}`, { 'Assigned To': null }).expect(200);
    await at.pass(6);
    const letters = (await at.settled()).filter(({ to }) => to === 'fay@acme.test');
    expect(subjects(letters)).toEqual([['fay@acme.test', 'W-items']]);
    expect(linesOf(letters[0]).filter((line) => line.includes('assigned this to you'))).toHaveLength(1);
  });

  describe('the link that ends it', () => {
    it('changes nothing when it is opened: a scanner opens every link', async () => {
      await at.assign('T-12', 'gina');
      await at.pass(6);
      const [letter] = await at.settled();
      const links = linesOf(letter).filter((line) => line.startsWith('https://'));
      for (const link of [...links, header(letter, 'list-unsubscribe').slice(1, -1)])
        for (let times = 0; times < 2; times += 1) await openBrowser(at.service).get(new URL(link).pathname);
      const shown = await openBrowser(at.service).get(unsubscribePath(letter));
      expect([shown.status, texts(shown, 'h1'), texts(shown, 'li')]).toEqual([
        200,
        ['Unsubscribe from these mails'],
        ['something is assigned to you'],
      ]);
      await at.assign('T-13', 'gina');
      await at.pass(6);
      expect(subjects(await at.settled())).toEqual([['gina@acme.test', 'T-13']]);
    });

    it('ends the mail of its reasons by one POST of a mail program, which has no session and no origin', async () => {
      await at.assign('T-14', 'gina');
      await at.pass(6);
      const [letter] = await at.settled();
      const path = unsubscribePath(letter);
      const answer = await openBrowser(at.service).post(path, { 'List-Unsubscribe': 'One-Click' }, {});
      expect([answer.status, texts(answer, 'h1')]).toEqual([200, ['You are unsubscribed']]);
      // Another seal is none.
      const forged = path.replace(/\.(.)/, (_, first) => (first === 'A' ? '.B' : '.A'));
      expect((await openBrowser(at.service).post(forged, {}, {})).status).toBe(404);
      await at.assign('T-15', 'gina');
      await at.comment('T-15', '@gina@acme.test see', 'mina');
      await at.pass(6);
      const [mention] = await at.settled();
      expect(linesOf(mention).filter((line) => line.includes(' – '))).toEqual([
        expect.stringContaining('Mina mentioned you'),
      ]);
    });

    it('leaves what its reader does not want to hear at all', async () => {
      await at.assign('T-16', 'ada');
      await at.pass(6);
      const [letter] = await at.settled();
      const { dataSource } = at.service;
      const ofAda = `WHERE email = 'ada@acme.test'`;
      const choices = { assigned: 'off', due: 'mail' };
      await dataSource.query(`UPDATE users SET notification_choices = $1 ${ofAda}`, [choices]);
      await openBrowser(at.service).post(unsubscribePath(letter), {}, {});
      const kept = await dataSource.query(`SELECT notification_choices AS kept FROM users ${ofAda}`);
      expect(kept).toEqual([{ kept: choices }]);
      await dataSource.query(`UPDATE users SET notification_choices = '{}' ${ofAda}`);
    });
  });

  describe('a mail server that refuses', () => {
    it('one address of ten does not stop the others', async () => {
      at.mails.behave('emma@acme.test', 'rcpt', 550);
      const names = ['mina', 'theo', 'ines', 'ada', 'bea', 'cleo', 'dora', 'emma', 'fay'];
      for (const [n, name] of names.entries()) await at.assign(`R-${n}`, name);
      await at.pass(6);
      const letters = await at.settled();
      expect(letters.map(({ to }) => to.split('@')[0]).sort()).toEqual(
        names.filter((name) => name !== 'emma').sort(),
      );
    });

    it('an address three times for good is sent no more; its user and administrators are told, and say when it works', async () => {
      for (const n of [1, 2]) {
        await at.assign(`U-${n}`, 'emma');
        await at.pass(6);
        await at.settled();
      }
      const before = at.mails.connections;
      await at.assign('U-3', 'emma');
      await at.pass(6);
      expect(await at.settled()).toEqual([]);
      expect(at.mails.connections).toBe(before);
      expect(at.lines.some((line) => line.includes('address undeliverable'))).toBe(true);
      const emma = await signIn(at.service, 'emma@acme.test');
      expect(texts(await emma.get('/account'), '#mail h2')).toEqual(['Mail to you cannot be delivered']);
      const mina = await signIn(at.service, 'mina@acme.test');
      const users = texts(await mina.get('/admin/users'), '.rows li');
      expect(users.filter((row) => row.includes('Mail undeliverable'))).toHaveLength(1);
      at.mails.behave('emma@acme.test', 'rcpt', undefined);
      expect((await emma.post('/account/mail')).status).toBe(303);
      expect(texts(await emma.get('/account'), '#mail h2')).toEqual([]);
      await at.assign('U-4', 'emma');
      await at.pass(6);
      expect(subjects(await at.settled())).toEqual([['emma@acme.test', 'U-4']]);
    });
  });
});

describe('the digest', () => {
  it('tells at 08:00 in the zone of its reader what happened to watched tasks, and letters whose answer was lost', async () => {
    const at = await startMailing();
    // Clocks in Berlin are set forward on the 28th.
    await at.setTime('2027-03-27T12:00:00Z');
    const inNewYork = `UPDATE users SET time_zone = 'America/New_York' WHERE email = 'theo@acme.test'`;
    await at.service.dataSource.query(inNewYork);
    for (const name of ['theo', 'bea']) {
      await at.api.post(tickets, { ID: `W-${name}`, Name: `of ${name}` }).expect(201);
      await at.comment(`W-${name}`, 'I take part', name);
      await at.comment(`W-${name}`, 'seen?', 'cleo');
    }
    await at.settled();
    await at.service.dataSource.query(
      `UPDATE notifications SET read_at = now() WHERE user_id = (SELECT id FROM users WHERE email = 'cleo@acme.test')`,
    );
    at.mails.behave('ada@acme.test', 'content', 'break', 1);
    await at.assign('H-1', 'ada', 'lost');
    await at.pass(6);
    expect([await at.settled(), at.mails.contents]).toEqual([[], 1]);

    const toAt = async (iso: string): Promise<string[][]> => {
      await at.setTime(iso);
      return subjects(await at.settled());
    };
    expect(await toAt('2027-03-28T05:59:00Z')).toEqual([]);
    expect(await toAt('2027-03-28T06:00:30Z')).toEqual([
      ['ada@acme.test', 'Updates in Acme'],
      ['bea@acme.test', 'Updates in Acme'],
    ]);
    expect(linesOf(at.mails.letters.find(({ to }) => to === 'ada@acme.test'))).toContain('H-1: lost:');
    expect(await toAt('2027-03-28T11:59:00Z')).toEqual([]);
    expect(await toAt('2027-03-28T12:00:30Z')).toEqual([['theo@acme.test', 'Updates in Acme']]);
    expect(linesOf(at.mails.letters.at(-1))).toEqual([
      'Updates on tasks that you watch, and what you have not read yet:',
      'W-theo: of theo:',
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d – Cleo commented:$/),
      'seen?',
      'Unsubscribe from these mails:',
      expect.stringMatching(/^https:/),
    ]);
    expect(await toAt('2027-03-29T12:00:30Z')).toEqual([]);
    await at.stop();
  });
});

// Rule: the calendar of `notifications` is asked when a letter is sent.
describe('mail while the calendar is closed', () => {
  it('waits for its next opening, also if the service was away when it was due', async () => {
    const at = await startMailing(
      acme({
        more: `
notifications: { calendar: office }
calendars: [{ id: office, timezone: UTC, hours: { mon-fri: 08:00-18:00 } }]`,
      }),
    );
    await at.setTime('2027-03-05T16:00:00Z'); // a Friday
    await at.assign('T-1', 'theo');
    await at.settled();
    await at.setTime('2027-03-06T12:00:00Z');
    expect(await at.settled()).toEqual([]);
    await at.setTime('2027-03-08T08:00:00Z');
    expect(subjects(await at.settled())).toEqual([['theo@acme.test', 'T-1']]);
    await at.stop();
  });
});

// Rule: a letter says what is true when it is sent, or is dropped.
describe('mail of a deadline', () => {
  it('is dropped once the task is done, or somebody else has it', async () => {
    const clock =
      '    clocks: [{ id: end, starts: { stages: [New] }, budget: 1 hours, rungs: [{ at: 100% }] }]\n';
    const at = await startMailing(acme().replace('    roles:', `${clock}    roles:`));
    for (const ID of ['done', 'given', 'open']) await at.assign(ID, 'theo');
    await at.pass(10);
    expect(await at.settled()).toHaveLength(3);
    await at.pass(51);
    await at.api.put(tickets, { ID: 'done', Stage: 'Done' }).expect(200);
    await at.api.put(tickets, { ID: 'given', 'Assigned To': null }).expect(200);
    await at.pass(6);
    const letters = await at.settled();
    expect(subjects(letters)).toEqual([['theo@acme.test', 'open']]);
    expect(linesOf(letters[0])[0]).toContain('This is due');
    await at.stop();
  });
});
