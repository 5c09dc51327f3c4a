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

// Rule: direct reasons 5 minutes after the first, watching daily at 08:00; only what is still unread.
describe('mail about notifications', () => {
  let at: Mailing;
  beforeAll(async () => {
    at = await startMailing();
    // Far from the time of the digest.
    await at.setTime('2027-03-01T12:00:00Z');
  });
  afterAll(() => at.stop());

  it('is sent when its window closes, one letter a person, with the headers of a list', async () => {
    await at.assign('T-1', 'theo', 'Häuser & <b>Höfe</b>');
    await at.comment('T-1', '@theo@acme.test look at\nthis <script>', 'mina');
    await at.pass(4);
    expect(await at.settled()).toEqual([]);
    await at.pass(2);
    const [letter, ...others] = await at.settled();
    expect([subjects(letter ? [letter] : []), others]).toEqual([
      [['theo@acme.test', 'T-1: Häuser & <b>Höfe</b>']],
      [],
    ]);
    const task = (await at.api.read<Record<string, string>>(`${tickets}/T-1`))['Task URL']?.split('/').at(-1);
    const headers = {
      from: 'Acme <wts@acme.test>',
      to: 'theo@acme.test',
      'auto-submitted': 'auto-generated',
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    };
    for (const [name, value] of Object.entries(headers)) expect(header(letter, name)).toBe(value);
    expect(header(letter, 'message-id')).toMatch(/^<notification\.[\da-f]{32}@acme\.test>$/);
    expect(header(letter, 'list-unsubscribe')).toMatch(
      /^<https:\/\/wts\.acme\.test\/unsubscribe\/\d+\.[\w-]+>$/,
    );
    expect(linesOf(letter)).toEqual([
      'T-1: Häuser & <b>Höfe</b>:',
      `https://wts.acme.test/workflows/tickets/tasks/${task}`,
      expect.stringMatching(/ – test assigned this to you$/),
      expect.stringMatching(/ – Mina mentioned you:$/),
      '@theo@acme.test look at',
      'this <script>',
      'Unsubscribe from these mails:',
      header(letter, 'list-unsubscribe').slice(1, -1),
    ]);
    expect(letter?.parts.get('text/html')).toContain('this &#60;script&#62;');
    await at.comment('T-1', '@theo@acme.test again', 'mina');
    await at.assign('T-2', 'theo');
    await at.pass(6);
    const [next] = await at.settled();
    expect(header(next, 'subject')).toBe('Mina mentioned you: T-1: Häuser & <b>Höfe</b>');
    expect(linesOf(next).filter((line) => line.startsWith('T-'))).toEqual([
      'T-1: Häuser & <b>Höfe</b>:',
      'T-2:',
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
  it('is not sent to a user who lost access a second ago', async () => {
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

  it('is not sent about a deleted task, or to a deactivated user', async () => {
    await at.assign('T-8', 'bea');
    await at.assign('T-9', 'cleo');
    await at.settled();
    await at.api.delete(`${tickets}/T-8`).expect(204);
    await at.service.apply(acme().replace('email: cleo@acme.test', 'email: cleo@acme.test, active: false'));
    await at.pass(6);
    expect(await at.settled()).toEqual([]);
    await at.service.apply(acme());
  });

  it('is not sent about an assignment that was undone before', async () => {
    await at.api.post(tickets, { ID: 'U-1', 'Assigned To': 'bea@acme.test' }).expect(201);
    const item = { title: 'Call', Stage: 'Review', 'Assigned To': 'cleo@acme.test' };
    await at.api.post(`${tickets}/U-1/checklist_items`, item).expect(201);
    await at.settled();
    await at.api.post(tickets, { ID: 'U-1', 'Assigned To': null }).expect(200);
    await at.pass(6);
    expect(subjects(await at.settled())).toEqual([['cleo@acme.test', 'U-1']]);
  });

  it('does not ask for an approval that is given meanwhile, but asks again if it is withdrawn', async () => {
    const approvals = async (ID: string, who: string, decision: string): Promise<void> => {
      const body = { action_id: 'sign', id: 'check', decision, performed_by: `${who}@acme.test` };
      await at.api.post(`${tickets}/${ID}/approvals`, body).expect(200);
    };
    for (const ID of ['A-1', 'A-2', 'A-3']) {
      await at.api.post(tickets, { ID }).expect(201);
      await at.api.post(tickets, { ID, Stage: 'Review' }).expect(200);
    }
    await at.settled();
    for (const ID of ['A-1', 'A-2']) await approvals(ID, 'emma', 'approve');
    await approvals('A-2', 'emma', 'withdraw');
    for (const decision of ['approve', 'withdraw', 'approve']) await approvals('A-1', 'fay', decision);
    await at.pass(6);
    const letters = await at.settled();
    expect(subjects(letters).map(([to]) => to)).toEqual(['emma@acme.test', 'fay@acme.test']);
    for (const letter of letters)
      expect(linesOf(letter).filter((line) => line.startsWith('A-'))).toEqual(['A-2:', 'A-3:']);
  });

  it('lists at most fifty tasks', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({ ID: `M-${n}`, 'Assigned To': 'dora@acme.test' }));
    await sendBatch(at.service, 'acme', tickets, rows);
    await at.pass(6);
    const letters = await at.settled();
    expect(subjects(letters)).toEqual([['dora@acme.test', 'Updates in Acme']]);
    expect(linesOf(letters[0]).filter((line) => /^M-\d+:$/.test(line))).toHaveLength(50);
    expect(linesOf(letters[0])).toContain('More tasks are in your inbox.');
  });

  describe('the link to unsubscribe', () => {
    it('changes nothing when it is opened, because scanners open every link', async () => {
      await at.assign('T-12', 'gina');
      await at.pass(6);
      const [letter] = await at.settled();
      const links = linesOf(letter).filter((line) => line.startsWith('https://'));
      for (const link of [...links, header(letter, 'list-unsubscribe').slice(1, -1)])
        for (let times = 0; times < 2; times += 1) await openBrowser(at.service).get(new URL(link).pathname);
      const shown = await openBrowser(at.service).get(unsubscribePath(letter));
      expect([shown.status, texts(shown, 'h1')]).toEqual([200, ['Unsubscribe from these mails']]);
      await at.assign('T-13', 'gina');
      await at.pass(6);
      expect(subjects(await at.settled())).toEqual([['gina@acme.test', 'T-13']]);
    });

    it('unsubscribes by one POST of a mail program, without session and origin', async () => {
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
      await at.pass(6);
      expect(await at.settled()).toEqual([]);
      const gina = await signIn(at.service, 'gina@acme.test');
      const chosen = async (): Promise<readonly string[]> =>
        (await gina.get('/account')).attributesOf('#mail option[selected]', 'value');
      expect(await chosen()).toEqual(['none']);
      expect((await gina.post('/account/notifications', { mail: 'direct' })).status).toBe(303);
      expect(await chosen()).toEqual(['direct']);
      await at.assign('T-16', 'gina');
      await at.pass(6);
      expect(subjects(await at.settled())).toEqual([['gina@acme.test', 'T-16']]);
    });
  });

  describe('a mail server that refuses', () => {
    it('one address does not stop mail to nine others', async () => {
      at.mails.behave('emma@acme.test', 'rcpt', 550);
      const names = ['mina', 'theo', 'ines', 'ada', 'bea', 'cleo', 'dora', 'emma', 'fay'];
      for (const [n, name] of names.entries()) await at.assign(`R-${n}`, name);
      await at.pass(6);
      const letters = await at.settled();
      expect(letters.map(({ to }) => to.split('@')[0]).sort()).toEqual(
        names.filter((name) => name !== 'emma').sort(),
      );
    });
  });
});

describe('the digest', () => {
  it('lists at 08:00 what happened to watched tasks, has an unsubscribe link, and is sent only once', async () => {
    const at = await startMailing();
    // Clocks in Berlin are set forward on the 28th.
    await at.setTime('2027-03-27T12:00:00Z');
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
      ['bea@acme.test', 'W-bea: of bea'],
      ['theo@acme.test', 'W-theo: of theo'],
    ]);
    const letter = at.mails.letters.find(({ to }) => to === 'theo@acme.test');
    expect(linesOf(letter)).toEqual([
      'W-theo: of theo:',
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d – Cleo commented:$/),
      'seen?',
      'Unsubscribe from these mails:',
      expect.stringMatching(/^https:/),
    ]);
    await openBrowser(at.service).post(unsubscribePath(letter), {}, {});
    await at.comment('W-theo', 'and now?', 'cleo');
    await at.assign('D-1', 'theo');
    expect(await at.settled()).toEqual([]);
    expect(await toAt('2027-03-29T12:00:30Z')).toEqual([['theo@acme.test', 'D-1']]);
    await at.stop();
  });
});
