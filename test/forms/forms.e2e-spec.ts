import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import request from 'supertest';
import { signIn, texts } from '../support/console.js';
import { countCreated, type FormPlace } from '../../src/automation/forms/forms.repository.js';
import { blocked } from '../support/blocked.js';
import { holdBy } from '../support/held-tasks.js';
import { type TestService } from '../support/service.js';
import {
  type Entered,
  formsPath,
  type FormsSetting,
  hiddenIn,
  nextAddress,
  type Page,
  pageOf,
  pdf,
  post,
  Sent,
  startForms,
  tasksPath,
  vendors,
} from './forms.js';

const DAY = 86_400_000;
const vendor = { 'Vendor Name': 'Nordwind', Website: 'https://nordwind.example' };

/** A service for one test, at whose end it stops. */
const startOne: typeof startForms = async (...given) => {
  const setting = await startForms(...given);
  ending.push(setting.service);
  return setting;
};
const ending: TestService[] = [];
afterEach(async () => {
  for (const service of ending.splice(0)) await service.stop();
});

const referenceIn = ({ html }: Page): string | undefined => html.querySelector('strong')?.text;
const faultsIn = ({ html }: Page): string[] =>
  html.querySelectorAll('.control .fault').map(({ parentNode, text }) => `${parentNode?.querySelector('label')?.text.replace(/ \*required$/, '') ?? ''} ${text}`); // prettier-ignore

describe('a form for people outside', () => {
  let setting: FormsSetting;
  const server = () => setting.service.app.getHttpServer();
  const sendAs = async (entered: Entered, address?: string): Promise<Page> => {
    const page = await setting.open();
    await setting.service.settle({ after: 5000 });
    return pageOf(await post(server(), page.path, { ...hiddenIn(page), ...entered }, address), page.path);
  };
  const listed = async (): Promise<unknown> => (await setting.api.read<unknown[]>(formsPath))[0];

  beforeAll(async () => {
    setting = await startForms();
  });
  beforeEach(async () => {
    await setting.service.dataSource.query(`
      UPDATE blobs SET workflow_id = NULL, task_id = NULL, unnamed_at = now();
      DELETE FROM tasks; DELETE FROM quarantined_posts; UPDATE form_states SET created = 0`);
  });
  afterAll(() => setting.service.stop());

  it('creates a task with its files and fixed values, and shows a reference', async () => {
    const sent = await setting.send({
      ...vendor,
      Since: '2026-02-01',
      Regions: ['EMEA', 'APAC'],
      Price: '1,250.50',
      Note: 'two\r\nlines',
      Contract: pdf(),
    });
    expect(sent.status).toBe(200);
    expect(referenceIn(sent)).toMatch(/^V-[2-9A-Z]{10}$/);
    expect(await setting.tasks()).toMatchObject([
      {
        ...{ ID: referenceIn(sent), Stage: 'New', Risk: 'Low', ...vendor, Since: '2026-02-01' },
        ...{ Regions: ['EMEA', 'APAC'], Price: '1250.50', Note: 'two\nlines', Agreed: false, Owner: null },
        Contract: [{ filename: 'contract.pdf', contentType: 'application/pdf' }],
      },
    ]);
    const url = expect.stringMatching(/\/f\/[\w-]{22}$/) as string;
    expect(await listed()).toEqual({ id: 'intake', url, open: true, today: 1, quarantined: 0 });
  });

  it('is the actor in the history', async () => {
    const reference = referenceIn(await setting.send(vendor)) ?? '';
    const actor = { kind: 'form', id: 'intake', name: reference.replace('V-', '') };
    const history = await setting.api.read(`${tasksPath}/${reference}/history`);
    expect(history).toMatchObject([{ data: { actor, cause: null } }]);
  });

  it('takes only the listed fields, and fixed values from nowhere else', async () => {
    const page = await setting.open(`${await setting.path()}?Risk=High&Note=x&Vendor+Name=Nord%26wind`);
    expect(page.html.querySelectorAll('input[value=x], textarea').map(({ text }) => text.trim())).toEqual([
      '',
    ]);
    expect(page.html.querySelector('[name="Vendor Name"]')?.getAttribute('value')).toBe('Nord&wind');
    const more = { Risk: 'High', Owner: 'mina@acme.test', ID: 'mine', Stage: 'Approved', Agreed: 'true' };
    await setting.send({ ...vendor, ...more }, page);
    const ID = expect.stringMatching(/^V-/) as unknown;
    expect(await setting.tasks()).toMatchObject([
      { ID, Risk: 'Low', Owner: null, Stage: 'New', Agreed: false },
    ]);
  });

  it('shows what is wrong beside the fields, and keeps what was typed', async () => {
    const sent = await setting.send({ 'Vendor Name': ' ', Since: '2026-02-30', Price: 'much', 'Contact E-mail': 'nobody', Note: 'kept' }); // prettier-ignore
    expect(sent.status).toBe(422);
    expect(faultsIn(sent)).toEqual([
      'Vendor Name is required',
      'Website is required',
      expect.stringMatching(/^Since /),
      expect.stringMatching(/^Price /),
      expect.stringMatching(/^Contact E-mail /),
    ]);
    expect(sent.html.querySelector('textarea')?.text.trim()).toBe('kept');
    // The page is sent on as it is, with the same mark.
    const again = await setting.send({ ...vendor, Note: 'kept' }, sent);
    expect([again.status, await setting.tasks()]).toEqual([200, [expect.objectContaining({ Note: 'kept' })]]);
  });

  it.each([
    ['of another type by its content', new Sent('a.pdf', Buffer.from('MZ\x90 no pdf'), 'application/pdf'), /of another type: a\.pdf/],
    ['of a type that it does not list', new Sent('a.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), /of another type: a\.png/],
    ['larger than it may be', pdf(1_000_001), /larger than 1 MB: contract\.pdf/],
  ])('refuses a file %s', async (_, file, message) => {
    const sent = await setting.send({ ...vendor, Contract: file });
    expect([sent.status, faultsIn(sent)]).toEqual([422, [expect.stringMatching(message)]]);
    const described = sent.html.querySelector('[type=file]')?.getAttribute('aria-describedby') ?? '';
    expect(described.split(' ').map((id) => sent.html.querySelector(`[id="${id}"]`)?.text.trim())).toEqual([
      'PDF, at most 1 MB. Choose the files again.',
      expect.stringMatching(message),
    ]);
    expect(await setting.tasks()).toEqual([]);
  }); // prettier-ignore

  it.each([
    ['that broke off', 'multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="Vendor Name"\r\n\r\nNord'],
    ['that no page sends', 'text/plain', 'Vendor Name=Nordwind'],
  ])('does not read a form %s', async (_, type, body) => {
    const path = await setting.path();
    const sent = pageOf(await request(server()).post(path).set({ 'Content-Type': type, 'X-Forwarded-For': nextAddress() }).send(body), path);
    expect([400, 415]).toContain(sent.status);
    expect(await setting.tasks()).toEqual([]);
  }); // prettier-ignore

  it('refuses a post that is larger than all files together may be', async () => {
    const sent = await setting.send({ ...vendor, Contract: pdf(21_000_000) });
    expect([sent.status, sent.text]).toEqual([422, expect.stringContaining('larger than 20 MB together')]);
  });

  it('accepts no files if it has no file field', async () => {
    const setting = await startOne(vendors().replace(/ +- { field: Contract.*max: 1 MB }\n/, ''));
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 5_000_000 };
    const sending = httpRequest(setting.service.url + (await setting.path()), { method: 'POST', headers });
    sending.flushHeaders();
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    sending.destroy();
    expect((await setting.send(vendor)).status).toBe(200);
  });

  it('counts a page once, however often it is sent, even at once', async () => {
    const page = await setting.open();
    await setting.service.settle({ after: 5000 });
    const sending = () => post(server(), page.path, { ...hiddenIn(page), ...vendor }).then((answer) => pageOf(answer, page.path)); // prettier-ignore
    const sent = await Promise.all([sending(), sending(), sending()]);
    expect(new Set(sent.map((one) => `${one.status} ${referenceIn(one) ?? ''}`)).size).toBe(1);
    expect(await setting.tasks()).toHaveLength(1);
    const other = await setting.send({ ...vendor, Note: 'another' }, page);
    expect([other.status, await setting.tasks()]).toEqual([409, [expect.anything()]]);
    expect(other.text).toContain('This form was sent already');
  });

  it.each<[string, Entered, number | undefined]>([
    ['fills in what people do not see', { _website: 'https://spam.example' }, undefined],
    ['is quicker than people', {}, 2000],
    ['made no page', { _page: 'none' }, undefined],
  ])('quarantines a post of a robot that %s, with the same answer', async (_, entered, after = 5000) => {
    const page = await setting.open();
    await setting.service.settle({ after });
    const sent = pageOf(await post(server(), page.path, { ...hiddenIn(page), ...vendor, ...entered }), page.path); // prettier-ignore
    expect([sent.status, referenceIn(sent)]).toEqual([200, expect.stringMatching(/^V-[2-9A-Z]{10}$/)]);
    expect(await setting.tasks()).toEqual([]);
    expect(await listed()).toMatchObject({ today: 0, quarantined: 1 });
  });

  it('shows administrators the quarantine for 30 days, to accept a post or discard all', async () => {
    const trap = { _website: 'x' };
    const kept = referenceIn(await setting.send({ ...vendor, Contract: pdf(), ...trap }));
    await setting.send({ 'Vendor Name': 'Spam', ...trap });
    const quarantine = `${formsPath}/intake/quarantine`;
    const posts = await setting.api.read<{ id: string }[]>(quarantine);
    expect(posts).toMatchObject([
      { values: { 'Vendor Name': 'Spam' } },
      { reference: kept, values: { Contract: ['contract.pdf'] } },
    ]);
    const [{ most } = {}] = await setting.service.dataSource.query<{ most: number }[]>('SELECT max(octet_length(payload)) AS most FROM quarantined_posts'); // prettier-ignore
    // What a list reads holds no bytes of files.
    expect(most).toBeLessThan(500);
    const good = posts[1]?.id;
    for (let n = 0; n < 2; n += 1) await setting.api.post(`${quarantine}/${good ?? ''}/accept`).expect(204);
    await setting.api.post(`${formsPath}/intake/discard`).expect(200);
    expect(await setting.api.read(quarantine)).toEqual([]);
    expect(await setting.tasks()).toMatchObject([{ ID: kept, Contract: [{ filename: 'contract.pdf' }] }]);
    await setting.send({ ...vendor, ...trap });
    expect(await listed()).toMatchObject({ quarantined: 1 });
    await setting.service.settle({ after: 31 * DAY });
    expect(await listed()).toMatchObject({ quarantined: 0 });
  });

  it('refuses a page that is older than a day, but shows the page again', async () => {
    const page = await setting.open();
    await setting.service.settle({ after: DAY });
    const late = await setting.send(vendor, page);
    expect([late.status, late.text.includes('open for more than a day')]).toEqual([422, true]);
    expect((await setting.send(vendor, late)).status).toBe(200);
  });

  it('takes ten posts a minute from a network, refused posts included', async () => {
    const of = (address: string) => sendAs({ 'Vendor Name': '' }, address).then(({ status }) => status);
    for (let n = 0; n < 10; n += 1) expect(await of(`192.0.2.${n}`)).toBe(422);
    expect(await of('192.0.2.99')).toBe(429);
    expect(await of('192.0.3.1')).toBe(422);
    for (let n = 0; n < 10; n += 1) expect(await of(`2001:db8::${n}`)).toBe(422);
    expect([await of('2001:db8::ffff'), await of('2001:db8:0:1::1')]).toEqual([429, 422]);
  });

  it('answers only at its own address, and unknown addresses all look the same', async () => {
    const path = await setting.path();
    const other = await request(server()).get('/f/AAAAAAAAAAAAAAAAAAAAAA');
    for (const wrong of [`${path}A`, path.slice(0, -1), '/f/x', '/f/%2e', `${path}?x`.replace(/.\?x/, '')])
      expect([wrong, (await request(server()).get(wrong)).text]).toEqual([wrong, other.text]);
    expect(other.status).toBe(404);
    await setting.api.post(`${formsPath}/intake/rotate`).expect(200);
    expect((await request(server()).get(path)).text).toBe(other.text);
    const second = await setting.path();
    await setting.api.post(`${formsPath}/intake/add`).expect(200);
    expect((await setting.open(second)).status).toBe(200);
    expect((await setting.open()).path).not.toBe(second);
  });

  it('sets no cookie, runs no script, and is framed only by its own sites', async () => {
    const { headers, text, html } = await setting.open();
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors https://acme.test",
    );
    expect(html.querySelectorAll('script')).toEqual([]);
    expect(Buffer.byteLength(text)).toBeLessThan(30_000);
    const { headers: closed } = await request(server()).get('/f/none');
    expect(closed['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('a form that is not always open', () => {
  it('does not exist before and after its days', async () => {
    const setting = await startOne(vendors('        open: { from: 2026-03-10, until: 2026-03-12 }'));
    const path = await setting.path();
    const statusAt = async (at: string): Promise<number> => {
      await setting.service.settle({ at });
      return (await setting.open(path)).status;
    };
    // Days of Berlin.
    for (const [at, status] of [
      ['09T22:59', 404],
      ['09T23:00', 200],
      ['12T22:59', 200],
      ['12T23:00', 404],
    ] as const)
      expect([at, await statusAt(`2026-03-${at}:00Z`)]).toEqual([at, status]);
  });

  it.each(['is closed', 'renames a field'])('loses no post that waits while it %s', async (what) => {
    const text = vendors('        open: { until: 2030-01-10 }');
    const setting = await startOne(text);
    const { service } = setting;
    await service.settle({ at: '2030-01-10T22:50:00Z' });
    const page = await setting.open();
    await service.settle({ after: 10_000 });
    // A post is counted after its form was found, and before it is read.
    const release = await holdBy(service.dataSource, 'LOCK TABLE sign_in_failures IN SHARE MODE');
    const entered = { ...hiddenIn(page), ...vendor, Note: 'kept' };
    const sending = post(service.app.getHttpServer(), page.path, entered).then((answer) => answer);
    await blocked(service.dataSource);
    if (what === 'is closed') await service.settle({ at: '2030-01-10T23:00:05Z' });
    else
      await service.apply(
        text.replaceAll('Note', 'Remark').replace('name: Remark', 'name: Remark, was: Note'),
      );
    await release();
    const { status, text: answer } = await sending;
    if (what === 'is closed')
      expect([status, await setting.tasks()]).toMatchObject([200, [{ Note: 'kept' }]]);
    else expect([status, answer.includes('kept'), await setting.tasks()]).toEqual([422, true, []]);
  });

  it('creates at most its number of tasks a day, counted exactly by the database', async () => {
    const setting = await startOne(vendors().replace('per_day: 200', 'per_day: 3'));
    const server = setting.service.app.getHttpServer();
    const pages = await Promise.all(Array.from({ length: 12 }, () => setting.open()));
    await setting.service.settle({ after: 5000 });
    const sent = await Promise.all(pages.map((page) => post(server, page.path, { ...hiddenIn(page), ...vendor, Note: 'kept' }))); // prettier-ignore
    expect(sent.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(9).fill(429)]);
    expect(sent.find(({ status }) => status === 429)?.text).toContain('kept');
    expect(await setting.tasks()).toHaveLength(3);
    await setting.service.settle({ after: DAY });
    expect((await setting.send(vendor)).status).toBe(200);
  });

  it('counts a post from before midnight with the next day, if that day has begun', async () => {
    const { service } = await startOne();
    const { manager } = service.dataSource;
    const [form] = await manager.query<FormPlace[]>(
      'SELECT workspace_id AS "workspaceId", workflow_id AS "workflowId", form_id AS "formId" FROM form_states',
    );
    const counted: boolean[] = [];
    for (const day of ['2026-03-10', '2026-03-11', '2026-03-10', '2026-03-11', '2026-03-10', '2026-03-12'])
      counted.push(form !== undefined && (await countCreated(manager, form, day, 2)));
    expect(counted).toEqual([true, true, true, false, false, true]);
  });
});

describe('a post in quarantine', () => {
  const quarantine = `${formsPath}/intake/quarantine`;
  const trap = { _website: 'x' };
  let setting: FormsSetting;
  const posts = () => setting.api.read<{ id: string; values: object }[]>(quarantine);
  const accept = async () => {
    const [post] = await posts();
    const { status, body } = await setting.api.post(`${quarantine}/${post?.id ?? ''}/accept`);
    return { status, errors: (body as { errors?: object }).errors };
  };
  beforeEach(async () => {
    setting = await startOne();
  });

  it('is refused for the same reasons as a form, and stays there', async () => {
    const notPdf = new Sent('a.pdf', Buffer.from('MZ'), 'application/pdf');
    await setting.send({ 'Vendor Name': 'Nordwind', Since: 'soon', Contract: notPdf, ...trap });
    const Contract = ['has a file of another type: a.pdf'];
    const errors = { Website: ['is required'], Since: [expect.any(String)], Contract };
    expect(await accept()).toEqual({ status: 422, errors });
    expect([await setting.tasks(), await posts()]).toEqual([[], [expect.anything()]]);
  });

  it('becomes a task by the current form', async () => {
    await setting.send({ ...vendor, Note: 'typed', Contract: pdf(), ...trap });
    await setting.service.apply(
      vendors().replace('          - Note\n', '').replace('Risk: Low', 'Risk: High'),
    );
    const [post] = await posts();
    expect(post?.values).toMatchObject({ ...vendor, Note: 'typed', Contract: ['contract.pdf'] });
    expect(await accept()).toMatchObject({ status: 204 });
    const Contract = [{ filename: 'contract.pdf', contentType: 'application/pdf' }];
    expect(await setting.tasks()).toMatchObject([{ ...vendor, Risk: 'High', Contract, Note: null }]);
  });
});

describe('a flood of posts to a form', () => {
  it('waits up to a number, and is refused at once above that number', async () => {
    const setting = await startOne();
    const { dataSource, url } = setting.service;
    const target = url + (await setting.path());
    const send = async (body?: string) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': 24, 'X-Forwarded-For': nextAddress() }; // prettier-ignore
      const sending = httpRequest(target, { method: 'POST', headers });
      if (body === undefined) sending.flushHeaders();
      else sending.end(body);
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      sending.destroy();
      return { status: answer.statusCode, retryAfter: answer.headers['retry-after'] };
    };
    const release = await holdBy(dataSource, 'LOCK TABLE quarantined_posts IN SHARE MODE');
    // Two are written, and 250 wait.
    const sent = Array.from({ length: 260 }, () => send('Vendor+Name=x&_page=none'));
    expect(await Promise.race(sent)).toEqual({ status: 503, retryAfter: '1' });
    expect(await send()).toEqual({ status: 503, retryAfter: '1' });
    await release();
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 503).length]).toEqual([252, 8]); // prettier-ignore
  });
});

describe('a form that is removed', () => {
  it('keeps its quarantine unless data may be lost', async () => {
    const setting = await startOne();
    await setting.send({ ...vendor, _website: 'x' });
    const other = vendors().replace('id: intake', 'id: contact');
    const plan = await setting.service.plan(other, { isPruning: true });
    const message = '1 post in its quarantine will be deleted';
    expect(plan.effects).toMatchObject([
      { kind: 'loses', what: 'form', name: 'vendors / intake', count: 1, message },
    ]);
    expect((await setting.service.plan(other)).effects).toEqual([]);
    const pruned = setting.service.apply(other, { isPruning: true });
    await expect(pruned).rejects.toThrow('1 post in its quarantine');
    await setting.service.apply(other, { isPruning: true, allowsDataLoss: true });
  });
});

describe('the page of a form in the administration', () => {
  it('has buttons that say what they do', async () => {
    const lead = `    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]`;
    const setting = await startOne(vendors('', lead));
    const mina = await signIn(setting.service, 'mina@acme.test');
    const page = await mina.get('/admin/forms/vendors/intake');
    expect(texts(await mina.get('/admin/forms'), '.rows li')).toEqual([
      expect.stringMatching(/^intake \S.* Posts in quarantine: 0$/),
    ]);
    expect(texts(page, '.facts > div').slice(1)).toEqual([
      expect.stringMatching(/^Address http/),
      'Open today Yes',
      'Tasks created today 0',
      'Posts in quarantine 0',
    ]);
    for (const name of ['Replace all addresses', 'Add an address', 'Empty the quarantine'])
      expect(texts(page, 'button')).toContain(name);
  });
});
