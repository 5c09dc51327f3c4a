import {
  type Answer,
  type Browser,
  follow,
  openBrowser,
  pageOf,
  sendForm,
  signIn,
  texts,
} from '../support/console.js';
import { awaitEnds } from '../support/ends.js';
import { receiverOfFile } from '../support/receiver.js';
import { startServiceWith } from '../support/service.js';

const acme = (url: string): string => `
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
      - { name: Note, type: text }
      - { name: Risk, type: singleSelect, options: [Low, High], required: true, default: Low }
    roles:
      - { id: lead, name: Lead, admin: true }
      - { id: agent, name: Agent, sees: assigned, actions: [close] }
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: lead }, { email: ines@acme.test, role: agent }]
    actions:
      - id: close
        name: Close the claim
        stages: [New]
        requirements: { required_fields: [Note] }
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

const receiver = await receiverOfFile();
const yaml = acme(receiver.url);
const { service, api } = await startServiceWith(
  [yaml, other],
  { WTS_OUTBOUND_ALLOW: '127.0.0.1/32' },
  'admin',
);
awaitEnds(service);
const mina = await signIn(service, 'mina@acme.test');
const theo = await signIn(service, 'theo@acme.test');
const ines = await signIn(service, 'ines@acme.test');

let count = 0;
/** Makes a claim, and says under which Unique ID. */
async function claim(values: object = {}): Promise<string> {
  count += 1;
  await api.send('/api/v1/workflows/claims/tasks', { 'Claim ID': `C-${count}`, Note: 'x', ...values });
  return `C-${count}`;
}
const change = (id: string, values: object): Promise<unknown> =>
  api.send('/api/v1/workflows/claims/tasks', { 'Claim ID': id, ...values });
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

describe('the administration is for users whose role has `admin: true`', () => {
  const ofWorkflows = ['executions', 'rules', 'schedules'].map((page) => `/admin/${page}`);
  const ofWorkspace = ['messages', 'webhooks', 'users', 'keys', 'definition'].map((page) => `/admin/${page}`);

  it('others find nothing on its pages, and no link to them', async () => {
    bank(500);
    const id = await perform(await claim());
    for (const path of [...ofWorkflows, ...ofWorkspace, `/admin/executions/${id}`]) {
      const answers = [await ines.get(path), await ines.post(path), await ines.post(`${path}/x/remove`)];
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 404, 404, 404]);
    }
    expect((await ines.get('/admin')).status).toBe(404);
    expect((await ines.get('/')).html.querySelector('a[href="/admin"]')).toBeNull();
    expect((await mina.get('/')).html.querySelector('a[href="/admin"]')).not.toBeNull();
  });

  it('an administrator of some workflows sees these, and nothing of the workspace', async () => {
    await api.send('/api/v1/workflows/orders/tasks', { 'Order ID': 'O-1' });
    const [order, own] = [await perform('O-1', 'stamp', 'orders'), await perform(await claim())];
    for (const path of [...ofWorkflows, `/admin/executions/${own}`])
      expect([path, (await theo.get(path)).status]).toEqual([path, 200]);
    for (const path of [...ofWorkspace, '/admin/definition/versions/1'])
      expect([path, (await theo.get(path)).status, (await mina.get(path)).status]).toEqual([path, 404, 200]);
    const sent = { name: 'x', scope: 'admin', url: receiver.url, events: 'task.created' };
    for (const path of ['keys', 'webhooks', 'users/x/link', 'messages/x/retry'])
      expect([path, (await theo.post(`/admin/${path}`, sent)).status]).toEqual([path, 404]);
    expect((await mina.get('/admin/webhooks')).html.querySelector('.rows')).toBeNull();
    expect((await theo.get(`/admin/executions/${order}`)).status).toBe(404);
    expect(texts(await theo.get('/admin/executions'), '.row-title').join()).not.toContain('Stamp');
    expect(texts(await theo.get('/admin/rules'), '.tabs a')).toEqual(['Executions', 'Automation']);
  });

  it('an administrator sees only their own workspace', async () => {
    const olga = await signIn(service, 'olga@other.test');
    const execution = `/admin/executions/${await perform(await claim())}`;
    const key = (await mina.get('/admin/keys')).hrefOf('.rows a');
    for (const path of [execution, '/admin/definition/versions/1', key])
      expect([path, (await mina.get(path)).status]).toEqual([path, 200]);
    for (const path of [execution, '/admin/definition/versions/99', key])
      expect([path, (await olga.get(path)).status]).toEqual([path, 404]);
    expect(texts(await olga.get('/admin/keys'), '.rows li')).toEqual([]);
    expect((await olga.post(`${key}/revoke`)).status).toBe(404);
    await api.get('/api/v1/workspace').expect(200);
  });

  it('the right ends with the role', async () => {
    await service.apply(yaml.replace('{ email: theo@acme.test, role: lead }, ', ''), { isPruning: true });
    expect((await theo.get('/admin')).status).toBe(404);
    await service.apply(yaml);
    expect((await theo.get('/admin')).headers['location']).toBe('/admin/executions');
  });
});

describe('executions', () => {
  it('show why one failed and what was done already, and can be repeated in the name of the reader', async () => {
    bank(503);
    const task = await claim();
    const id = await perform(task);
    const failed = await mina.get('/admin/executions?status=Fail&workflow=claims');
    const reason = 'Ask the bank: was answered with status 503';
    expect(texts(failed, '.rows li')[0]).toContain(`Failed Close the claim ${task} ${reason}`);
    const page = await mina.get(`/admin/executions/${id}`);
    expect(texts(page, '.why-errors li')).toEqual([reason]);
    const whatWasDone = 'The task was not changed. Other systems were already called: Tell accounting.';
    expect(page.textOf('.why p')).toBe(whatWasDone);
    expect(texts(page, '.step')).toEqual(['Tell accounting done', 'Ask the bank failed', 'Move on not started']); // prettier-ignore
    expect(page.textOf('.detail-head a[href^="/workflows/claims/tasks/"]')).toBe(task);
    expect(page.textOf('dialog p')).toContain('Tell accounting');

    bank(200);
    const retried = await sendForm(mina, page, '/retry');
    await service.settle();
    const done = await follow(mina, retried);
    expect(texts(done, '.facts dd')).toContain('M Mina');
    expect(done.html.querySelector('form[action$=retry]')).toBeNull();
    expect(receiver.of('/bank').at(-1)?.body).toContain('mina@acme.test');
    const again = await sendForm(mina, page, '/retry');
    expect(again.headers['location']).toBe(retried.headers['location']);
  });

  it('are found from their task, by administrators of its workflow only', async () => {
    bank(503);
    const task = await claim({ 'Assigned To': 'ines@acme.test' });
    const id = await perform(task);
    const path = pageOf(await api.get(`/api/v1/workflows/claims/tasks/${task}`));
    const ways = (page: Answer): string[] => texts(page, `a[href="/admin/executions/${id}"]`);
    const failure = async (browser: Browser): Promise<string> =>
      (await browser.get(path)).textOf('.last-failure');
    expect(await failure(mina)).toContain('Ask the bank: was answered with status 503');
    expect(ways(await mina.get(path))).toEqual(['See why, and try again', 'Close the claim']);
    expect(ways(await mina.get(`${path}?execution=${id}`))[0]).toBe('See why, and try again');
    expect(await failure(ines)).toContain('Ask the bank: was answered with status 503');
    expect(ways(await ines.get(path))).toEqual([]);
    bank(200);
    await change(task, { Note: 'y' });
    await perform(task);
    expect(await failure(mina)).toBe('');
  });

  it('that may not begin again say why, by the current rules', async () => {
    bank(500);
    const task = await claim();
    const path = `/admin/executions/${await perform(task)}`;
    await change(task, { Note: null });
    const refused = await mina.post(`${path}/retry`);
    expect(refused.textOf('.notice.bad')).toBe('The action was not started: · Note is required');
    await api.delete(`/api/v1/workflows/claims/tasks/${task}`);
    expect((await mina.get(path)).text).toContain('cannot be tried again: the task was deleted.');
    expect((await mina.post(`${path}/retry`)).status).toBe(409);
  });

  it('are cancelled if they wait, but not if they are running', async () => {
    const held: (() => void)[] = [];
    const calls = receiver.of('/bank').length;
    receiver.answer('/bank', (response) => held.push(() => response.end()));
    const asked = { task_id: await claim(), action_id: 'close' };
    const begin = async (): Promise<string> => {
      const { body } = await api.post('/api/v1/workflows/claims/executions', asked);
      return `/admin/executions/${String(Reflect.get(Object(body), 'id'))}`;
    };
    const [first, second] = [await begin(), await begin()];
    const running = service.settle();
    await receiver.called('/bank', calls + 1);
    const waiting = await mina.get(second);
    expect(waiting.textOf('.detail-head .badge')).toBe('Under way');
    await sendForm(mina, waiting, '/cancel');
    expect((await mina.get(second)).textOf('.detail-head .badge')).toBe('Cancelled');
    expect((await mina.post(`${first}/cancel`)).status).toBe(409);
    for (const answer of held) answer();
    await running;
  });

  it('show by themselves when one begins or ends', async () => {
    await api.send('/api/v1/workflows/orders/tasks', { 'Order ID': 'O-2' });
    const list = await mina.get('/admin/executions');
    const changed = mina.get(list.attributeOf('body', 'data-live-url-value'));
    await perform('O-2', 'stamp', 'orders');
    expect((await changed).text).toBe('{"changed":true}');
  });
});

it('the current definition is shown, and the changes of each version, as in a plan', async () => {
  const changed = yaml.replace('options: [Low, High]', 'options: [Low, High, Extreme]').replace('required_fields: [Note]', 'assigned: true'); // prettier-ignore
  await service.apply(changed, { author: 'Mina’s laptop', isPruning: true });
  const page = await mina.get('/admin/definition');
  expect(page.html.querySelector('pre')?.text).toContain('options: [ Low, High, Extreme ]');
  expect(page.textOf('.rows a')).toContain('Mina’s laptop');
  expect(texts(page, '.rows li')[0]).toMatch(/^\d+ change field claims \/ Risk \(options\), change action /);
  const version = await mina.get(page.hrefOf('.rows a'));
  const plan = version.textOf('pre');
  expect(plan).toMatch(/^~ change +field +claims \/ Risk.*\n +⚠ options +\+ Extreme\n/);
  expect(plan).toMatch(/requirements\.required_fields .*\(weaker\)/);
  for (const path of ['versions/0', 'versions/9999', 'versions/x', 'nowhere'])
    expect([path, (await mina.get(`/admin/definition/${path}`)).status]).toEqual([path, 404]);
  await service.apply(yaml);
});

describe('users', () => {
  let path: string;

  it('are found by name, with their roles and whether they are signed in', async () => {
    const page = await mina.get('/admin/users?q=INES');
    expect(texts(page, '.rows li')).toEqual([expect.stringMatching(/^I Ines ines@acme\.test Claims: Agent/)]);
    path = page.hrefOf('.rows a');
    expect((await mina.get('/admin/users?q=%3Cnobody%3E')).text).toContain('Nothing matches these filters');
  });

  it('get a link to sign in, which is shown once', async () => {
    const page = await sendForm(mina, await mina.get(path), '/link');
    const { pathname } = new URL(page.attributeOf('input[readonly]', 'value'));
    expect(page.headers['cache-control']).toBe('private, no-store');
    expect((await mina.get(path)).text).not.toContain('/sign-in/');
    expect((await openBrowser(service).post(pathname)).status).toBe(303);
    expect((await openBrowser(service).post(pathname)).status).toBe(404);
  });

  it('are signed out everywhere, without other users', async () => {
    const gone = await signIn(service, 'ines@acme.test');
    const question = (await mina.get(path)).html.querySelector('dialog:has([action$="/sign-out"])');
    expect(question?.text).toContain('Sign out Ines everywhere?');
    const done = await follow(mina, await sendForm(mina, await mina.get(path), '/sign-out'));
    expect(done.text).toContain('Done.');
    expect([(await gone.get('/account')).status, (await mina.get('/account')).status]).toEqual([401, 200]);
  });

  it('get no link if they are not active', async () => {
    await service.apply(yaml.replace('active: true', 'active: false'));
    expect((await mina.get(path)).text).not.toContain('/link"');
    expect((await mina.post(`${path}/link`)).status).toBe(409);
    await service.apply(yaml);
  });
});
