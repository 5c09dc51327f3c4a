import request from 'supertest';
import { startMailServer, type TakenLetter } from '../messages/mail-server.js';
import { blocked } from '../support/blocked.js';
import { holdBy } from '../support/held-tasks.js';
import {
  type FormsSetting,
  hiddenIn,
  pageOf,
  pdf,
  post,
  Sent,
  startForms,
  tasksPath,
  vendors,
} from './forms.js';

type MailServer = Awaited<ReturnType<typeof startMailServer>>;

const textOf = (letter?: TakenLetter): string => letter?.parts.get('text/plain') ?? '';

describe('mail to people outside', () => {
  let setting: FormsSetting;
  let mails: MailServer;
  const server = () => setting.service.app.getHttpServer();

  beforeEach(async () => {
    mails = await startMailServer();
    setting = await startForms(vendors(), {
      WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WTS_MAIL_FROM: 'wts@acme.test',
      PUBLIC_URL: 'https://wts.acme.test',
    });
  });
  afterEach(async () => {
    await setting.service.stop();
    await mails.stop();
  });

  describe('the confirmation of a form', () => {
    const vendor = { 'Vendor Name': 'Buy now', Website: 'https://spam.example', Note: 'typed' };
    const send = async (email: string) =>
      (await setting.send({ ...vendor, 'Contact E-mail': email })).html.querySelector('strong')?.text;

    it('holds the reference, and nothing that a person typed', async () => {
      const reference = await send('jo@nordwind.example');
      await setting.service.settle();
      const [letter] = mails.letters;
      expect(letter?.to).toBe('jo@nordwind.example');
      expect(textOf(letter)).toContain(reference);
      expect(letter?.raw).not.toMatch(/Buy now|spam|typed/);
    });

    it('goes to an address once an hour, however the address is written', async () => {
      const sameAndAnother = ['jo@ü.example', 'JO@Ü.example', 'jo+1@ü.example', 'jo@xn--tda.example', 'al@ü.example']; // prettier-ignore
      for (const address of sameAndAnother) await send(address);
      await setting.service.settle();
      expect(mails.letters.map(({ to }) => to)).toEqual(['jo@ü.example', 'al@ü.example']);
      await setting.service.settle({ after: 3_600_000 });
      await send('jo@ü.example');
      await setting.service.settle();
      expect(mails.letters).toHaveLength(3);
    });
  });

  describe('the step `ask`', () => {
    const pathIn = (letter?: TakenLetter): string =>
      /acme\.test(\/ask\/[\w.-]+)/.exec(textOf(letter))?.[1] ?? '';
    const task = `${tasksPath}/V-1`;
    const stored = async (): Promise<unknown> => (await setting.api.get(task).expect(200)).body;

    /** The path of a form for a task, as it came by mail. */
    async function asked(): Promise<string> {
      const values = {
        ID: 'V-1',
        'Vendor Name': 'Nordwind',
        'Contact E-mail': 'jo@x.example',
        Note: 'before',
      };
      await setting.api.post(tasksPath, values).expect(201);
      const start = { task_id: 'V-1', action_id: 'ask' };
      await setting.api.post('/api/v1/workflows/vendors/executions', start).expect(202);
      await setting.service.settle();
      const [letter] = mails.letters;
      return pathIn(letter);
    }
    const open = async (path: string) => pageOf(await request(server()).get(path), path);
    const send = async (path: string, entered: Parameters<typeof post>[2]) =>
      pageOf(await post(server(), path, entered), path);

    it('mails a form that shows its fields and changes them, once', async () => {
      const path = await asked();
      const page = await open(path);
      expect([page.status, page.html.querySelector('h1')?.text]).toEqual([200, 'Your contract']);
      expect(page.html.querySelectorAll('[name]').map((one) => one.getAttribute('name'))).toEqual(['viewport', 'robots', '_page', '_website', 'Note', 'Contract']); // prettier-ignore
      expect(page.html.querySelector('textarea')?.text.trim()).toBe('before');
      const answer = { Note: 'after', Contract: pdf(), 'Vendor Name': 'Stolen' };
      const both = await Promise.all([send(path, answer), send(path, answer)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(await stored()).toMatchObject({
        ...{ Note: 'after', 'Vendor Name': 'Nordwind' },
        Contract: [{ filename: 'contract.pdf' }],
      });
      expect((await open(path)).status).toBe(404);
      const { body } = await setting.api.get(`${task}/history`).expect(200);
      const actor = { kind: 'form', id: 'ask', name: 'jo@x.example' };
      expect((body as { type: string }[]).find(({ type }) => type === 'task.updated')).toMatchObject({ data: { actor } }); // prettier-ignore
    });

    it('overwrites nothing unseen', async () => {
      const path = await asked();
      const page = await open(path);
      await setting.api.put(tasksPath, { ID: 'V-1', Note: 'of others' }).expect(200);
      const touched = await send(path, { ...hiddenIn(page), Note: 'mine', Contract: pdf() });
      expect(touched.status).toBe(422);
      expect(touched.text).toContain('Somebody has changed these values');
      expect(touched.html.querySelector('textarea')?.text.trim()).toBe('mine');
      expect(await stored()).toMatchObject({ Note: 'of others', Contract: [] });
      // Its sender has been told.
      expect((await send(path, { ...hiddenIn(touched), Note: 'mine', Contract: pdf() })).status).toBe(200);
      expect(await stored()).toMatchObject({ Note: 'mine', Contract: [{ filename: 'contract.pdf' }] });
    });

    it.each([
      // A post is counted after its form was found, and before it is read.
      [
        'overwrites no value that changed while it had to wait',
        'sign_in_failures',
        { Note: 'of others' },
        422,
      ],
      ['overwrites nothing that changed while its files were stored', 'blobs', { Note: 'of others' }, 422],
      ['is written if only other values changed meanwhile', 'blobs', { Website: 'https://of.example' }, 200],
    ])('%s', async (_, table, change, status) => {
      const path = await asked();
      const page = await open(path);
      const { dataSource } = setting.service;
      const release = await holdBy(dataSource, `LOCK TABLE ${table} IN SHARE MODE`);
      const sending = send(path, { ...hiddenIn(page), Note: 'mine', Contract: pdf() });
      await blocked(dataSource);
      await setting.api.put(tasksPath, { ID: 'V-1', ...change }).expect(200);
      await release();
      const answer = await sending;
      const written = { Note: 'mine', Contract: [{ filename: 'contract.pdf' }] };
      const wanted = { ...(status === 200 ? written : { Note: 'before', Contract: [] }), ...change };
      expect([answer.status, await stored()]).toMatchObject([status, wanted]);
      const again = await send(path, { ...hiddenIn(answer), Note: 'mine', Contract: pdf() });
      expect(again.status).toBe(status === 200 ? 404 : 200);
    });

    it('is used once, even by a person who changes nothing', async () => {
      const path = await asked();
      const file = { filename: 'a.pdf', contentType: 'application/pdf', base64contents: 'JVBERi0=' };
      await setting.api.put(tasksPath, { ID: 'V-1', Contract: [file] }).expect(200);
      const page = await open(path);
      expect([page.text, page.html.querySelector('.required')]).toEqual([expect.stringContaining('PDF. Already there: 1 file</p>'), null]); // prettier-ignore
      const sent = async () => (await send(path, { ...hiddenIn(page), Note: 'before' })).status;
      expect([await sent(), await sent()]).toEqual([200, 404]);
      expect((await open(path)).text).toContain('<p>The form was sent already, has expired, or its task');
    });

    it('says what is wrong, and the form can then be sent again', async () => {
      const path = await asked();
      const without = await send(path, { Note: 'kept' });
      expect([without.status, without.text.includes('is required')]).toEqual([422, true]);
      const wrong = await send(path, { Note: 'kept', Contract: new Sent('a.pdf', Buffer.from('none')) });
      expect([wrong.status, wrong.html.querySelector('textarea')?.text.trim()]).toEqual([422, 'kept']);
      expect((await send(path, { Note: 'good', Contract: pdf() })).status).toBe(200);
    });

    it('ends after its days, and is unknown for every other link', async () => {
      const path = await asked();
      expect((await open(`${path}x`)).status).toBe(404);
      await setting.service.settle({ after: 6 * 86_400_000 });
      expect((await open(path)).status).toBe(200);
      await setting.service.settle({ after: 86_400_000 });
      expect((await open(path)).status).toBe(404);
    });

    it('has a link that is in no table, and that every repetition of the mail has', async () => {
      mails.behave('jo@x.example', 'content', 451, 1);
      await asked();
      expect([mails.contents, mails.letters]).toEqual([1, []]);
      await setting.service.settle({ after: 80_000 });
      const [letter] = mails.letters;
      const path = pathIn(letter);
      const { dataSource } = setting.service;
      const tables = await dataSource.query<{ name: string }[]>(
        "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
      );
      const holders = [];
      for (const { name } of tables) {
        const sought = path.split('.').at(-1);
        const rows = await dataSource.query<object[]>(
          `SELECT FROM "${name}" t WHERE strpos(t::text, $1) > 0`,
          [sought],
        );
        if (rows.length > 0) holders.push(name);
      }
      expect([tables.length > 20, holders]).toEqual([true, []]);
      await dataSource.query("UPDATE messages SET state = 'failed'");
      const [message] = (await setting.api.get('/api/v1/messages').expect(200)).body as [{ id: string }];
      await setting.api.post(`/api/v1/messages/${message.id}/retry`).expect(202);
      await setting.service.settle();
      expect(mails.letters.map(pathIn)).toEqual([path, path]);
      expect((await open(path)).status).toBe(200);
    });

    it('is deleted with its task', async () => {
      const path = await asked();
      await setting.api.delete(task).expect(204);
      expect((await open(path)).status).toBe(404);
    });
  });
});
