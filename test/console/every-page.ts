import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestService } from '../support/service.js';
import { signIn } from '../support/console.js';

/** What breaks out of a text, an attribute, a title, a text box or a script. */
export const evil = `"'></title></textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>`;

/** The demo, with hostile texts wherever a definition may have one. */
const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');
const names = ['Demo', 'Vendors', 'Invoices', 'Administrator', 'Hand to the administrator', 'Number of Employees', 'Theo', 'Approve this vendor?', 'High risk needs an administrator', 'Check the company register', 'Take it up', 'Assign', 'Become a vendor']; // prettier-ignore
const hostileDemo = names.reduce(
  (text, name, at) => {
    const named = new RegExp(`\\b((?:first_)?name|confirmation|message|title): ${name.replace('?', '\\?')}(?=[ ,}]*[,}\\n])`, 'g'); // prettier-ignore
    return text.replaceAll(named, (_, key: string) => `${key}: ${JSON.stringify(`${at}${evil}`)}`);
  },
  demo.replace('[Low, Medium', `[Low, ${JSON.stringify(evil)}, Medium`),
);

/** By the routes that answer with a page: where each is looked at, in which states. */
export const pages: Readonly<Record<string, readonly string[]>> = {
  '/': ['/', '/?waiting=0'],
  '/account': ['/account'],
  '/admin': ['/admin/executions'],
  '/admin/:page': ['/admin/executions?status=Pending', '/admin/rules', '/admin/schedules', '/admin/forms', '/admin/messages', '/admin/messages?state=sent', '/admin/webhooks', '/admin/users', '/admin/keys', '/admin/keys?new', '/admin/definition', '/admin/nowhere'],
  '/admin/:page/*key': ['/admin/executions/{execution}', '/admin/rules/vendors/high-risk', '/admin/schedules/vendors/stale', '/admin/forms/vendors/intake', '/admin/webhooks/stock', '/admin/users/{user}', '/admin/keys/{key}', '/admin/definition/versions/1'],
  '/ask/:token': ['/ask/none'],
  '/f/:token': ['/f/{form}?Vendor%20Name={evil}', '/f/none'],
  '/figures': ['/figures'],
  '/inbox': ['/inbox'],
  '/search': ['/search', '/search?q=E', '/search?q={evil}'],
  '/sign-in': ['/sign-in'],
  '/sign-in/:token': ['/sign-in/none'],
  '/sign-in/sent': ['/sign-in/sent'],
  '/team': ['/team'],
  '/unsubscribe/:token': ['/unsubscribe/none'],
  '/workflows/:workflow': ['/workflows/vendors', '/workflows/vendors?Risk=High&_sort=-Vendor%20Name&_fields=Risk', '/workflows/vendors?Vendor%20Name={evil}', '/workflows/vendors?Colour=red'],
  '/workflows/:workflow/figures': ['/workflows/vendors/figures', '/workflows/vendors/figures?group=Risk&_time=working&_imports=true&_weeks=52', '/workflows/vendors/figures?Colour={evil}'],
  '/workflows/:workflow/list': ['/workflows/vendors/list', '/workflows/vendors/list?Risk=Low&_fields=Risk', '/workflows/vendors/list?Colour={evil}'],
  '/workflows/:workflow/new': ['/workflows/vendors/new'],
  '/workflows/:workflow/tasks/:task': ['{task}', '{task}?edit=Notes', '{task}?edit=Risk', '{task}?edit=Stage', '{done}'],
  '/workflows/:workflow/tasks/:task/comments': ['{task}/comments?before=9'],
  '/workflows/:workflow/tasks/:task/history': ['{task}/history?before={before}'],
  '/{*path}': ['/nowhere', '/workflows/none'],
}; // prettier-ignore

/** Addresses that the service refuses. */
export const isRefused = (at: string): boolean => /none|nowhere|Colour=/.test(at);

/** Pages for people who are not signed in. */
export const isOutside = (at: string): boolean => /^\/(sign-in|unsubscribe|f|ask)\//.test(at);

/** Routes that answer with something else, or with a part of a page, or lead elsewhere. */
export const others = /\/(live|audience|export|csv|filter|file|callback)$|\/console\/assets\/|\/links\/|\/files\/:field\/:blob(\/picture)?$|^\/(calendar|mcp|sign-in\/(oidc|code))/; // prettier-ignore

const tasks = '/api/v1/workflows/vendors/tasks';

/** Makes one of everything that pages show, with hostile texts; gives the address of each page of the table. */
export async function fillPages(service: TestService): Promise<(at: string) => string> {
  await service.apply(hostileDemo);
  const api = service.client(await service.key('demo', 'admin'));
  const named = new Map([['evil', encodeURIComponent(evil)]]);
  const create = async (id: string, more: object): Promise<Record<string, unknown>> => {
    const values = { 'Vendor ID': id, 'Vendor Name': `Vendor ${evil}`, 'Assigned To': 'mina@demo.test' };
    return (await api.post(tasks, { ...values, ...more }).expect(201)).body as Record<string, unknown>;
  };
  const pathOf = (body: Record<string, unknown>): string => new URL(String(body['Task URL'])).pathname;
  const file = { base64contents: 'eA==', contentType: 'text/plain', filename: evil.replaceAll('/', '_') };
  const shown = { Notes: `${evil}\n\n${'Long\n\ntext\n'.repeat(20)}`, Regions: ['EMEA'], Website: 'https://acme.test', Risk: 'Low', 'Contract Value': 5, Contract: [file], 'Expected Close Date': '2026-01-05' }; // prettier-ignore
  const task = await create('E-1', { ...shown, Stage: 'In Review' });
  named.set('task', pathOf(task));
  await api.post(`${tasks}/E-1/comments`, { body: `Hello @mina@demo.test ${evil}`, performed_by: 'theo@demo.test' }).expect(201); // prettier-ignore
  await api.post(`${tasks}/E-1/checklist_items`, { title: evil, Stage: 'In Review' }).expect(201);
  await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': evil, Amount: 1, Vendor: { 'Vendor ID': 'E-1' } }).expect(201); // prettier-ignore
  named.set('done', pathOf(await create('E-2', { Risk: 'High', Notes: 'No', Stage: 'In Review' })));
  const asked = { task_id: 'E-2', action_id: 'reject', performed_by: 'mina@demo.test' };
  const execution = await api.post('/api/v1/workflows/vendors/executions', asked).set('Prefer', 'wait=10');
  named.set('execution', String(Reflect.get(Object(execution.body), 'id')));
  await api.post('/api/v1/webhooks', { id: 'stock', url: 'https://stock.test/x', events: ['task.created'], workflows: ['vendors'], when: `task["Notes"] == ${JSON.stringify(evil)}`, headers: { 'X-Evil': evil } }).expect(201); // prettier-ignore
  const mina = await signIn(service, 'mina@demo.test');
  await mina.post('/admin/keys', { name: evil, scope: 'read', expires: '' });
  const hrefOf = async (path: string, link: string): Promise<string> =>
    (await mina.get(path)).html.querySelector(link)?.getAttribute('href') ?? `no ${link}`;
  named.set('key', (await hrefOf('/admin/keys', '.rows a')).split('/')[3] ?? '');
  named.set('user', (await hrefOf('/admin/users?q=theo', '.rows a')).split('/').at(-1) ?? '');
  const history = await api.get(`${tasks}/E-1/history?_limit=1`);
  named.set('before', /_after=([\w-]+)/.exec(history.headers['link'] ?? '')?.[1] ?? '');
  const { body: forms } = await api.get('/api/v1/workflows/vendors/forms').expect(200);
  named.set('form', /[\w-]+$/.exec(String(Reflect.get(Object((forms as object[])[0]), 'url')))?.[0] ?? '');
  await service.settle();
  return (at) => at.replace(/\{(\w+)\}/g, (_, name: string) => named.get(name) ?? name);
}
