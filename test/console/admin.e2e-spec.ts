import { type Answer, type Browser, openBrowser, sendForm, signIn, texts } from '../support/console.js';
import { awaitEnds } from '../support/ends.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';

const acme = (url: string, title = 'Note'): string => `
workspace: { id: acme, name: Acme }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: theo@acme.test, first_name: Theo }
  - { email: ines@acme.test, first_name: Ines, active: true }
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Done, end: true, enter: by_actions }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: ${title}, type: text }
      - { name: Risk, type: singleSelect, options: [Low, High], required: true, default: Low }
    roles:
      - { id: lead, name: Lead, admin: true }
      - { id: agent, name: Agent, sees: assigned, actions: [close] }
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: lead }, { email: ines@acme.test, role: agent }]
    actions:
      - id: close
        name: Close the claim
        stages: [New]
        requirements: { required_fields: [${title}] }
        steps:
          - { name: Tell accounting, type: api_call, url: '${url}/accounting', tries: 1 }
          - { name: Ask the bank, type: api_call, url: '${url}/bank', tries: 1, timeout_seconds: 60 }
          - { name: Move on, type: move_to_stage, stage: Done }
  - id: orders
    name: Orders
    stages: [{ name: Open }]
    fields: [{ name: Order ID, type: uniqueId, required: true }]
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]
    actions: [{ id: stamp, name: Stamp }]
`;

const other = `
workspace: { id: other, name: Other }
users: [{ email: olga@other.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: olga@other.test, role: lead }]
    actions: [{ id: stamp, name: Stamp }]
`;

describe('the administration', () => {
  let service: TestService;
  let receiver: Receiver;
  let api: Client;
  let mina: Browser;
  let theo: Browser;
  let ines: Browser;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32' });
    awaitEnds(service);
    await service.apply(acme(receiver.url));
    await service.apply(other);
    api = service.client(await service.key('acme', 'admin'));
    mina = await signIn(service, 'mina@acme.test');
    theo = await signIn(service, 'theo@acme.test');
    ines = await signIn(service, 'ines@acme.test');
  });
  afterAll(async () => {
    await service.stop();
    receiver.stop();
  });

  /** Applies a definition as this author, without what it does not name. */
  const apply = (yaml: string, author: string): Promise<void> =>
    service.apply(yaml, { author, isPruning: true });
  let count = 0;
  /** Makes a claim, and says under which Unique ID. */
  async function claim(values: object = { Note: 'x' }): Promise<string> {
    count += 1;
    const id = `C-${count}`;
    expect((await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': id, ...values })).status).toBe(
      201,
    );
    return id;
  }
  /** Performs an action by the API, and gives the id of the execution. */
  async function perform(task: string, action = 'close', workflow = 'claims'): Promise<string> {
    const { body } = await api
      .post(`/api/v1/workflows/${workflow}/executions`, { task_id: task, action_id: action })
      .set('Prefer', 'wait=10');
    return String(Reflect.get(Object(body), 'id'));
  }
  const bank = (status: number): void => {
    receiver.answer('/bank', (response) => response.writeHead(status).end());
  };
  const send = (page: Answer, end: string): Promise<Answer> => sendForm(mina, page, end);

  describe('is there for those whose role says `admin: true`', () => {
    const ofWorkflows = ['executions', 'rules', 'schedules', 'clocks'].map((page) => `/admin/${page}`);
    const ofWorkspace = ['messages', 'webhooks', 'users', 'keys', 'definition'].map(
      (page) => `/admin/${page}`,
    );

    it('others find nothing on any of its pages, nor a way there', async () => {
      bank(500);
      const id = await perform(await claim());
      expect((await ines.get('/admin')).status).toBe(404);
      for (const path of [...ofWorkflows, ...ofWorkspace, `/admin/executions/${id}`]) {
        expect([path, (await ines.get(path)).status, (await ines.post(path)).status]).toEqual([
          path,
          404,
          404,
        ]);
        expect([path, (await ines.post(`${path}/x/remove`)).status]).toEqual([path, 404]);
      }
      expect((await ines.get('/')).html.querySelector('a[href="/admin"]')).toBeNull();
      expect((await mina.get('/')).html.querySelector('a[href="/admin"]')).not.toBeNull();
    });

    it('who administers some workflows sees what is theirs, and nothing of the workspace', async () => {
      await api.post('/api/v1/workflows/orders/tasks', { 'Order ID': 'O-1' });
      const [order, own] = [await perform('O-1', 'stamp', 'orders'), await perform(await claim(), 'close')];
      for (const path of ofWorkflows) expect([path, (await theo.get(path)).status]).toEqual([path, 200]);
      for (const path of [...ofWorkspace, '/admin/definition/file', '/admin/definition/versions/1']) {
        expect([path, (await theo.get(path)).status]).toEqual([path, 404]);
        expect([path, (await mina.get(path)).status]).toEqual([path, 200]);
      }
      const sent = { name: 'x', scope: 'admin', url: receiver.url, events: 'task.created' };
      for (const path of [
        '/admin/keys',
        '/admin/webhooks',
        '/admin/users/x/link',
        '/admin/messages/x/retry',
      ]) {
        expect([path, (await theo.post(path, sent)).status]).toEqual([path, 404]);
        expect([path, (await mina.post(path, sent, { 'Sec-Fetch-Site': 'cross-site' })).status]).toEqual([path, 403]); // prettier-ignore
      }
      expect((await mina.get('/admin/webhooks')).html.querySelector('.rows')).toBeNull();
      expect((await theo.get(`/admin/executions/${order}`)).status).toBe(404);
      expect((await theo.get(`/admin/executions/${own}`)).status).toBe(200);
      expect(texts(await theo.get('/admin/executions'), '.row-title').join()).not.toContain('Stamp');
      expect(texts(await theo.get('/admin/rules'), '.tabs a, .kinds a')).toEqual(['Executions', 'Automation', 'Rules', 'Schedules', 'Clocks', 'Forms']); // prettier-ignore
    });

    it('in their own workspace alone', async () => {
      const id = await perform(await claim());
      const olga = await signIn(service, 'olga@other.test');
      for (const path of [`executions/${id}`, 'definition/versions/99', 'users/x', 'webhooks/hook'])
        expect([path, (await olga.get(`/admin/${path}`)).status]).toEqual([path, 404]);
      expect(texts(await olga.get('/admin/keys'), '.rows li')).toEqual([]);
      const key = (await mina.get('/admin/keys')).html.querySelector('.rows a')?.getAttribute('href') ?? '';
      expect((await mina.get(key)).status).toBe(200);
      for (const answer of [await olga.get(key), await olga.post(`${key}/revoke`)])
        expect(answer.status).toBe(404);
      expect((await api.get('/api/v1/workspace')).status).toBe(200);
    });

    it('ends with the role', async () => {
      await apply(acme(receiver.url).replace('{ email: theo@acme.test, role: lead }, ', ''), 'the test');
      expect((await theo.get('/admin')).status).toBe(404);
      await service.apply(acme(receiver.url));
      expect((await theo.get('/admin')).headers['location']).toBe('/admin/executions');
    });
  });

  describe('executions', () => {
    it('tell why one failed, what was done already, and try it again in the name of who is signed in', async () => {
      bank(503);
      const task = await claim();
      const id = await perform(task);
      const failed = await mina.get('/admin/executions?status=Fail&workflow=claims');
      expect(texts(failed, '.rows li')[0]).toMatch(
        new RegExp(
          `^Failed Close the claim ${task} Ask the bank: was answered with status 503 Claims API \\(test\\) (now|.* ago)$`,
        ),
      );

      const page = await mina.get(`/admin/executions/${id}`);
      expect(texts(page, '.why-errors li')).toEqual(['Ask the bank: was answered with status 503']);
      expect(texts(page, '.why p')[0]).toBe(
        'The other system did not answer as expected. Try again later. The task was not changed. Other systems were already called: Tell accounting.',
      );
      expect(texts(page, '.step')).toEqual([
        'Tell accounting done',
        'Ask the bank failed',
        'Move on not started',
      ]);
      const link = page.html.querySelector('.detail-head a');
      expect([link?.text, link?.getAttribute('href')]).toEqual([
        task,
        expect.stringMatching(/^\/workflows\/claims\/tasks\//),
      ]);

      bank(200);
      expect(texts(page, 'dialog p')[0]).toContain('Tell accounting');
      const again = await send(page, '/retry');
      const { location = '' } = again.headers;
      expect([again.status, location]).toEqual([303, expect.stringMatching(/^\/admin\/executions\/(?!$)/)]);
      await service.settle();
      const done = await mina.get(location);
      expect(texts(done, '.facts dd')).toContain('M Mina');
      expect(texts(done, '.rows .row-title')).toHaveLength(2);
      expect(done.html.querySelector('form[action$=retry]')).toBeNull();
      const { body } = await api.get(`/api/v1/workflows/claims/tasks/${task}/history`);
      const begun = (body as { type: string; data: { actor: object } }[]).filter(({ type }) => type === 'execution.started'); // prettier-ignore
      expect(begun[0]?.data.actor).toEqual({ kind: 'user', id: 'mina@acme.test' });
      expect(receiver.of('/bank').at(-1)?.body).toContain('mina@acme.test');

      const twice = await send(page, '/retry');
      expect([twice.status, twice.headers['location']]).toEqual([303, location]);
    });

    it('are found from their task, by who administers its workflow alone', async () => {
      bank(503);
      const task = await claim({ Note: 'x', 'Assigned To': 'ines@acme.test' });
      const id = await perform(task);
      const path = String(Reflect.get(Object((await api.get(`/api/v1/workflows/claims/tasks/${task}`)).body), 'Task URL')); // prettier-ignore
      const at = new URL(path).pathname;
      const ways = ({ html }: Answer): (string | undefined)[] =>
        html.querySelectorAll(`a[href="/admin/executions/${id}"]`).map(({ text }) => text);
      const page = await mina.get(at);
      expect(texts(page, '.last-failure')[0]).toMatch(
        /^Close the claim failed (now|.* ago) Ask the bank: was answered with status 503 See why, and try again$/,
      );
      expect(ways(page)).toEqual(['See why, and try again', 'Close the claim']);
      expect(ways(await mina.get(`${at}?execution=${id}`))[0]).toBe('See why, and try again');
      const hers = await ines.get(at);
      expect(texts(hers, '.last-failure')[0]).toContain('Ask the bank: was answered with status 503');
      expect(ways(hers)).toEqual([]);

      bank(200);
      await api.put('/api/v1/workflows/claims/tasks', { 'Claim ID': task, Note: 'y' });
      await perform(task);
      expect(texts(await mina.get(at), '.last-failure')).toEqual([]);
    });

    it('that may not begin again say why, by the rules in force', async () => {
      bank(500);
      const task = await claim();
      const id = await perform(task);
      await api.put('/api/v1/workflows/claims/tasks', { 'Claim ID': task, Note: null });
      const refused = await mina.post(`/admin/executions/${id}/retry`);
      expect([refused.status, texts(refused, '.notice.bad')]).toEqual([
        422,
        ['The action was not started: · Note is required'],
      ]);
      await api.delete(`/api/v1/workflows/claims/tasks/${task}`);
      const gone = await mina.get(`/admin/executions/${id}`);
      expect(gone.text).toContain('It cannot be tried again: the task was deleted.');
      expect((await mina.post(`/admin/executions/${id}/retry`)).status).toBe(409);
    });

    it('that wait are cancelled, those under way are not', async () => {
      const held: (() => void)[] = [];
      const calls = receiver.of('/bank').length;
      receiver.answer('/bank', (response) => held.push(() => response.end()));
      const task = await claim();
      const begin = (): Promise<{ body: unknown }> =>
        api.post('/api/v1/workflows/claims/executions', { task_id: task, action_id: 'close' });
      const [first, second] = [await begin(), await begin()].map(({ body }) =>
        String(Reflect.get(Object(body), 'id')),
      );
      const running = service.settle();
      await receiver.called('/bank', calls + 1);
      const waiting = await mina.get(`/admin/executions/${second ?? ''}`);
      expect(texts(waiting, '.detail-head .badge')).toEqual(['Under way']);
      expect((await send(waiting, '/cancel')).status).toBe(303);
      expect(texts(await mina.get(`/admin/executions/${second ?? ''}`), '.detail-head .badge')).toEqual(['Cancelled']); // prettier-ignore
      expect((await mina.post(`/admin/executions/${first ?? ''}/cancel`)).status).toBe(409);
      for (const answer of held) answer();
      await running;
    });

    it('show by themselves what is begun and what ends', async () => {
      await api.post('/api/v1/workflows/orders/tasks', { 'Order ID': 'O-2' }).expect(201);
      const list = await mina.get('/admin/executions');
      const live = list.html.querySelector('body')?.getAttribute('data-live-url-value') ?? '';
      const changed = mina.get(live.replaceAll('&amp;', '&'));
      await perform('O-2', 'stamp', 'orders');
      expect((await changed).text).toBe('{"changed":true}');
    });
  });

  it('shows the definition in force, and what each version changed, as a plan says it', async () => {
    const changed = acme(receiver.url).replace('options: [Low, High]', 'options: [Low, High, Extreme]').replace('required_fields: [Note]', 'assigned: true'); // prettier-ignore
    await apply(changed, 'Mina’s laptop');
    const page = await mina.get('/admin/definition');
    const file = await mina.get('/admin/definition/file');
    expect(page.html.querySelector('pre')?.text).toBe(file.text);
    expect([file.headers['content-type'], file.text]).toEqual([
      'text/yaml; charset=utf-8',
      expect.stringContaining('options: [Low, High, Extreme]'),
    ]);
    const [latest] = page.html.querySelectorAll('.rows a');
    expect(latest?.text).toContain('Mina’s laptop');
    const version = await mina.get(latest?.getAttribute('href') ?? '');
    expect(version.html.querySelector('pre')?.text.split('\n')).toEqual([
      expect.stringMatching(/^ +~ change +field +claims \/ Risk/),
      expect.stringMatching(/⚠ options +\+ Extreme$/),
      expect.stringMatching(/^ +~ change +action +claims \/ close/),
      expect.stringMatching(/requirements\.required_fields .*\(weaker\)/),
      expect.stringMatching(/requirements\.assigned/),
    ]);
    for (const path of ['versions/0', 'versions/9999', 'versions/x', 'nowhere'])
      expect([path, (await mina.get(`/admin/definition/${path}`)).status]).toEqual([path, 404]);
    for (const path of ['versions', 'workflows/claims'])
      expect((await mina.get(`/admin/definition/${path}`)).headers['location']).toBe('/admin/definition');
    await service.apply(acme(receiver.url));
  });

  describe('users', () => {
    const pathOf = async (name: string): Promise<string> => {
      const page = await mina.get(`/admin/users?q=${name}`);
      return page.html.querySelector('.rows a')?.getAttribute('href') ?? '';
    };

    it('are found by name, with their roles and whether they are signed in', async () => {
      const page = await mina.get('/admin/users?q=INES');
      expect(texts(page, '.rows li')).toEqual([
        expect.stringMatching(/^I Ines ines@acme\.test Claims: Agent/),
      ]);
      expect(page.text).toContain('Users and their roles come from the definition');
      expect((await mina.get('/admin/users?q=%3Cnobody%3E')).text).toContain('Nothing matches these filters');
    });

    it('are let in by a link that is shown once', async () => {
      const path = await pathOf('ines');
      const page = await send(await mina.get(path), '/link');
      const link = new URL(page.html.querySelector('input[readonly]')?.getAttribute('value') ?? '');
      expect([page.status, page.headers['cache-control'], link.pathname]).toEqual([
        200,
        'private, no-store',
        expect.stringMatching(/^\/sign-in\/\d+\.[\w-]{43}$/),
      ]);
      expect((await mina.get(path)).text).not.toContain('/sign-in/');
      expect((await openBrowser(service).post(link.pathname)).status).toBe(303);
      expect((await openBrowser(service).post(link.pathname)).status).toBe(404);
    });

    it('are signed out everywhere, and they alone', async () => {
      const gone = await signIn(service, 'ines@acme.test');
      const { headers } = await send(await mina.get(await pathOf('ines')), '/sign-out');
      expect((await mina.get(headers['location'] ?? '')).text).toContain('They are signed out everywhere.');
      expect([(await gone.get('/account')).status, (await mina.get('/account')).status]).toEqual([401, 200]);
    });

    it('who are not active get no link', async () => {
      const path = await pathOf('ines');
      await service.apply(acme(receiver.url).replace('active: true', 'active: false'));
      expect((await mina.get(path)).text).not.toContain('/link"');
      expect((await mina.post(`${path}/link`)).status).toBe(409);
      await service.apply(acme(receiver.url));
    });
  });
});
