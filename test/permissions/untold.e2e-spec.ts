import { requestOf } from '../http/requests.js';
import { type Ids } from '../http/rows.js';
import { answerIn, callMessage, keyFor, listMessage, postMessage } from '../support/agent.js';
import { filesOf, inline } from '../support/attachments.js';
import { signIn } from '../support/console.js';
import { sendRaw } from '../support/raw-request.js';
import { pagesOf, routesOf } from '../support/routes.js';
import { startServiceWith } from '../support/service.js';
import { makeTimer } from '../support/timers.js';

// Three words are planted: `verborgen` in a workflow's definition, `geheim` in its tasks, `fremd` in a task of the desk.
const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: ines@acme.test }, { email: otto@acme.test }, { email: lena@acme.test }]
workflows:
  - id: desk
    name: Desk
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Owner, type: person }
      - { name: Note, type: text }
      - { name: Scan, type: file }
    checklist: [{ title: Look, stage: New }]
    actions:
      - { id: settle, name: Settle, steps: [{ name: Fill, type: update_fields, set: { Note: settled } }] }
      - { id: clash, name: Clash, steps: [{ name: Make, type: create_linked_task, relationship: links, set: { Part ID: V-1 } }] }
      - { id: spread, name: Spread, steps: [{ name: Set, type: update_linked_tasks, relationship: links, set: { verborgen pick: '{{Note}}' } }] }
      - { id: make, name: Make, steps: [{ name: Make, type: create_linked_task, relationship: links, set: { Part ID: 'V-{{ID}}', verborgen field: new } }] }
    rules:
      - { id: told, on: field_changed, field: Note, run: settle }
      - { id: far, on: field_changed, field: Note, of: links, run: verborgen-act }
      - { id: near, on: commented, run: settle }
    schedules: [{ id: daily, cron: '0 6 * * *', for: Stage=New, run: settle }]
    roles:
      - { id: all, name: All, admin: true }
      - { id: some, name: Some, sees: assigned, edits: assigned, actions: [settle, clash, spread, make] }
      - { id: whole, name: Whole, actions: [settle, clash, spread, make] }
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: some }, { email: otto@acme.test, role: whole }, { email: lena@acme.test, role: all }]
  - id: verborgen-w
    name: Verborgen W
    search: true
    stages: [{ name: verborgen New }, { name: verborgen Done, end: true }]
    fields:
      - { name: Part ID, type: uniqueId, required: true }
      - { name: verborgen field, type: text }
      - { name: verborgen pick, type: singleSelect, options: [verborgen option] }
      - { name: verborgen scan, type: file }
    checklist: [{ title: verborgen look, stage: verborgen New }]
    actions:
      - { id: verborgen-act, name: verborgen act, requirements: { conditions: [{ when: 'task["verborgen field"] != "geheim two"', message: verborgen reason }] }, steps: [{ name: verborgen go, type: move_to_stage, stage: verborgen Done }] }
      - { id: verborgen-push, name: verborgen push, steps: [{ name: verborgen step, type: update_linked_tasks, relationship: links, set: { Note: pushed } }] }
      - { id: verborgen-hand, name: verborgen hand, steps: [{ name: verborgen step, type: update_linked_tasks, relationship: links, set: { Assigned To: otto@acme.test } }] }
    rules:
      - { id: verborgen-hands, on: field_changed, field: verborgen pick, run: verborgen-hand }
      - { id: verborgen-rule, on: field_changed, field: verborgen field, of: links, run: settle }
      - { id: verborgen-pusher, on: commented, run: verborgen-push }
    schedules: [{ id: verborgen-daily, cron: '0 6 * * *', for: 'Stage=verborgen New', run: verborgen-push }]
    roles: [{ id: all, name: verborgen all, admin: true }, { id: some, name: verborgen some, sees: assigned }]
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: some }]
relationships:
  - { id: links, kind: many_to_many, from: { workflow: desk, name: Parts }, to: { workflow: verborgen-w, name: verborgen desks } }
`;
const elsewhere = `
workspace: { id: other, name: Other }
users: [{ email: mina@other.test }]
workflows: [{ id: desk, name: Desk, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId, required: true }] }]
`;

/** Somebody who asks for everything, and the words that no answer may hold. */
interface Reader {
  /** The user that a key acts as, or the workflow that it is narrowed to. */
  readonly as?: string;
  readonly workflows?: string;
  readonly workspace?: string;
  readonly untold: RegExp;
}
const readers: Readonly<Record<string, Reader>> = {
  'a key that is narrowed to another workflow': { workflows: 'desk', untold: /verborgen|geheim/i },
  'a role that sees what is assigned': { as: 'ines@acme.test', untold: /geheim|fremd/i },
  'a role of another workflow': { as: 'otto@acme.test', untold: /verborgen|geheim/i },
  'an administrator of another workflow': { as: 'lena@acme.test', untold: /verborgen|geheim/i },
  'another workspace': { workspace: 'other', untold: /verborgen|geheim|fremd/i },
};
const people = Object.entries(readers).filter(([, { as }]) => as !== undefined);

const { service, api } = await startServiceWith([acme, elsewhere], { WTS_MCP: 'on' });

describe('nothing reveals what its reader may not see', () => {
  let own: Ids;
  let fremd: Ids;
  let hidden: Ids;
  let tasks: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const vault = await make('verborgen-w', { 'Part ID': 'V-1', 'verborgen field': 'geheim one' }, 'verborgen scan', 'verborgen-push'); // prettier-ignore
    await api.post('/api/v1/workflows/verborgen-w/tasks', { 'Part ID': 'geheim-2' }).expect(201);
    const links = { Parts: [{ 'Part ID': 'V-1' }] };
    const mine = await make('desk', { ID: 'D-1', Note: 'first', 'Assigned To': 'ines@acme.test', ...links }, 'Scan', 'clash'); // prettier-ignore
    const others = await make('desk', { ID: 'D-fremd', Note: 'fremd note', 'Assigned To': 'mina@acme.test', ...links }, 'Scan', 'clash'); // prettier-ignore
    await api.put('/api/v1/workflows/verborgen-w/tasks', { 'Part ID': 'V-1', 'verborgen field': 'geheim two' }).expect(200); // prettier-ignore
    await service.settle();
    await api.post('/api/v1/workflows/verborgen-w/tasks/V-1/comments', { body: 'geheim comment' }).expect(201); // prettier-ignore
    await service.settle();
    await service.settle({ after: 86_400_000 });
    const handed = { 'Part ID': 'V-3', 'verborgen desks': [{ ID: 'D-3' }] };
    for (const ID of ['D-3', 'D-4']) await api.post('/api/v1/workflows/desk/tasks', { ID }).expect(201);
    await api.post('/api/v1/workflows/verborgen-w/tasks', handed).expect(201);
    await api.put('/api/v1/workflows/verborgen-w/tasks', { 'Part ID': 'V-3', 'verborgen pick': 'verborgen option' }).expect(200); // prettier-ignore
    await api.post('/api/v1/workflows/desk/executions', { task_id: 'D-4', action_id: 'clash', performed_by: 'otto@acme.test' }).expect(202); // prettier-ignore
    await service.settle();
    tasks = { own: mine.task, fremd: others.task, hidden: vault.task };
    const some = { asset: 'start.js', metric: 'flow', webhook_id: 'none', message_id: 'none', form_id: 'none', post_id: 'none', user: 'ines@acme.test', user_id: 'none' }; // prettier-ignore
    const desk = { workflow_id: 'desk', field: 'Scan', relationship: 'Parts', other_unique_id: 'V-1', action_id: 'settle', rule_id: 'told', schedule_id: 'daily' }; // prettier-ignore
    own = { ...some, ...desk, unique_id: 'D-1', ...mine.ids };
    fremd = { ...own, unique_id: 'D-fremd', ...others.ids };
    hidden = { ...own, workflow_id: 'verborgen-w', field: 'verborgen scan', relationship: 'verborgen desks', other_unique_id: 'geheim-2', action_id: 'verborgen-act', rule_id: 'verborgen-rule', schedule_id: 'verborgen-daily', unique_id: 'V-1', ...vault.ids }; // prettier-ignore
  });

  /** A task with something of everything, and the ids of that. */
  async function make(workflow: string, values: object, field: string, action: string) {
    const at = `/api/v1/workflows/${workflow}`;
    const word = workflow === 'desk' ? 'own' : 'geheim';
    const named = JSON.stringify(values).includes('fremd') ? 'fremd' : word;
    const made = await api.post(`${at}/tasks`, { ...values, [field]: [inline(`${named}.txt`)] }).expect(201);
    const [id = ''] = Object.values(values) as string[];
    const item = await api.post(`${at}/tasks/${id}/checklist_items`, { title: `${named} item`, Stage: workflow === 'desk' ? 'New' : 'verborgen New' }); // prettier-ignore
    await api.post(`${at}/tasks/${id}/comments`, { body: `${named} comment` }).expect(201);
    const [key = '', note = ''] = Object.keys(values);
    await api.put(`${at}/tasks`, { [key]: id, [note]: `${named} changed` }).expect(200);
    const [event = { id: '' }] = await api.read<{ id: string }[]>(`${at}/tasks/${id}/history?_limit=1`);
    const execution = await api.post(`${at}/executions`, { task_id: id, action_id: action }).expect(202);
    const text = (body: unknown, name: string): string => String(Reflect.get(Object(body), name));
    return {
      task: text(made.body, 'Task URL').split('/').at(-1) ?? '',
      ids: {
        id: text(item.body, 'id'),
        execution_id: text(execution.body, 'id'),
        timer_id: await makeTimer(service, id, workflow === 'desk' ? 'settle' : action, { after: '9 days' }),
        event_id: event.id,
        blob_id: filesOf(made, field)[0]?.blobId ?? '',
      },
    };
  }

  const keyOf = ({ workspace = 'acme', ...wanted }: Omit<Reader, 'untold'>): Promise<string> =>
    keyFor(service, wanted, workspace);

  /** The ids of what a reader sees, and of what the reader does not see. */
  const whole = (): Ids[] => [own, ...['far', 'near'].map((rule_id) => ({ ...own, rule_id })), fremd, hidden];

  /** The reader's own ids with one foreign id among them, for each name and each foreign id. */
  const mixed = (): Ids[] =>
    [...new Set(Object.keys(own))].flatMap((name) =>
      [fremd, hidden].map((ids) => ({ ...own, [name]: ids[name as keyof Ids] })),
    );

  /** Where answers hold such a word that the question did not: the route, and the words around it. */
  async function leaksOf({ untold, ...reader }: Reader, isChanging: boolean): Promise<string[]> {
    const key = await keyOf(reader);
    const found = new Set<string>();
    const seen = new Set<string>();
    const plain = [...whole(), ...mixed()].map((ids) => ({ ids, more: '' }));
    const parameters = ['_verbose=true', '_explain=true', '_limit=1&_count=true'];
    const varied = whole().flatMap((ids) => parameters.map((more) => ({ ids, more })));
    for (const route of routesOf(service.app).filter((route) => route.startsWith('GET ') !== isChanging))
      for (const { ids, more } of isChanging ? plain : [...plain, ...varied]) {
        const request = requestOf(route, [['Authorization', `Bearer ${key}`]], ids, own, { more });
        const name = JSON.stringify([request.method, request.path, request.body?.toString()]);
        if (seen.has(name)) continue;
        seen.add(name);
        const { status, body } = await sendRaw(service.url, request);
        expect([name, status < 500]).toEqual([name, true]);
        const leak = leakIn(body, untold, Object.values(ids));
        if (leak !== undefined) found.add(`${route} ${leak}`);
      }
    return [...found];
  }

  function leakIn(body: string, untold: RegExp, given: readonly string[]): string | undefined {
    const words = given.filter((word) => untold.test(word));
    const rest = words.reduce((text, word) => text.replaceAll(word, '…').replaceAll(encodeURIComponent(word), '…'), body); // prettier-ignore
    const at = rest.search(untold);
    return at < 0 ? undefined : rest.slice(Math.max(0, at - 60), at + 60);
  }

  /** The same for agents: each tool, with whatever of this it takes. */
  async function leaksByTools({ untold, ...reader }: Reader): Promise<string[]> {
    const key = await keyOf(reader);
    const { result } = answerIn(await postMessage(service, key, listMessage));
    const tools = result.tools as { name: string; inputSchema: { properties: object } }[];
    const leaks: string[] = [];
    const seen = new Set<string>();
    for (const { name, inputSchema } of tools)
      for (const ids of [...whole(), ...mixed()]) {
        const all = { workflow: ids.workflow_id, unique_id: ids.unique_id, action: ids.action_id, body: 'x', set: {}, dry_run: true, where: {} }; // prettier-ignore
        const takes = Object.entries(all).filter(([one]) => one in inputSchema.properties);
        for (const given of [takes, takes.slice(0, 1), []]) {
          const call = callMessage(name, Object.fromEntries(given));
          if (seen.has(JSON.stringify(call))) continue;
          seen.add(JSON.stringify(call));
          const answer = await postMessage(service, key, call);
          const leak = leakIn(answer.text, untold, Object.values(ids));
          if (leak !== undefined) leaks.push(`${name} ${leak}`);
        }
      }
    return [...new Set(leaks)];
  }

  type Whose = 'own' | 'fremd' | 'hidden';
  const isOfTask = (route: string): boolean => /:(task|item|blob)\b/.test(route);

  /** What the names in the path of a page stand for. */
  function named(route: string, whose: Whose): Readonly<Record<string, string>> {
    const ids = { own, fremd, hidden }[whose];
    const starter = route.includes('/schedules/') ? ids.schedule_id : ids.rule_id;
    return { workflow: ids.workflow_id, task: tasks[whose] ?? '', item: ids.id, blob: ids.blob_id, field: ids.field, execution: ids.execution_id, starter, relationship: ids.relationship, action: ids.action_id, text: 'Note', name: 'x' }; // prettier-ignore
  }

  const pathOf = (route: string, names: Readonly<Record<string, string>>): string =>
    (route.split(' ')[1] ?? '').replace(/[:*](\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? 'x')); // prettier-ignore

  /** The same for pages. */
  async function leaksByPages({ as = '', untold }: Reader): Promise<string[]> {
    const browser = await signIn(service, as);
    const leaks: string[] = [];
    for (const route of ['GET /', ...pagesOf(service.app)].filter((route) => route.startsWith('GET ')))
      for (const whose of route.includes(':') ? (['own', 'fremd', 'hidden'] as const) : (['own'] as const)) {
        const names = named(route, whose);
        const path = pathOf(route, names);
        const queries = route.includes(':task')
          ? ['confirm=make', 'confirm=spread', 'edit=Note&after=x']
          : ['task=D-1', 'after=x', 'q=geheim', '_search=fremd', '_fields=Parts'];
        for (const query of queries) {
          const { status, text } = await browser.get(`${path}?${path === '/live' ? 'after=x&' : ''}${query}`);
          expect([path, status < 500]).toEqual([path, true]);
          if (whose === 'hidden' && isOfTask(route)) expect([path, status]).toEqual([path, 404]);
          // A file has no text.
          const leak = leakIn(text || 'bytes', untold, [...Object.values(names), ...query.split('=')]);
          if (leak !== undefined) leaks.push(`${route} ${leak}`);
        }
      }
    return [...new Set(leaks)];
  }

  it('the hidden words are in events of which the readers are notified', async () => {
    for (const untold of [/verborgen/i, /geheim/i, /fremd/i])
      expect((await leaksOf({ untold }, false)).length).toBeGreaterThan(8);
  });

  it.each(Object.entries(readers))('to %s: by no route that reads', async (_, reader) => {
    expect(await leaksOf(reader, false)).toEqual([]);
  });

  it.each(Object.entries(readers))('to %s: by no tool of agents', async (_, reader) => {
    expect(await leaksByTools(reader)).toEqual([]);
  });

  it.each(people)('to %s: by no page', async (_, reader) => {
    expect(await leaksByPages(reader)).toEqual([]);
  });

  it('no form of a page changes or reveals a task that its sender does not see', async () => {
    const { email, untold } = { email: 'ines@acme.test', untold: /geheim|fremd/i };
    const state = (): Promise<unknown[]> =>
      Promise.all(['', '/history', '/comments', '/checklist_items'].map((of) => api.read(`/api/v1/workflows/desk/tasks/D-fremd${of}`))); // prettier-ignore
    const before = await state();
    let browser = await signIn(service, email);
    for (const route of pagesOf(service.app).filter((route) => route.startsWith('POST ')))
      for (const whose of ['fremd', 'hidden'] as const) {
        const names = named(route, whose);
        const id = { fremd, hidden }[whose].unique_id;
        const sent = { ...filledIn, task: id, id, other: id };
        const { status, text } = await browser.post(pathOf(route, names), sent);
        expect([route, status < 500]).toEqual([route, true]);
        if (isOfTask(route)) expect([route, status]).toEqual([route, 404]);
        if (route.startsWith('POST /admin'))
          expect([route, [403, 404].includes(status)]).toEqual([route, true]);
        expect([route, leakIn(text, untold, [id, ...Object.values(names)])]).toEqual([route, undefined]);
        // The ways out lead out.
        if ((await browser.get('/account')).status === 401) browser = await signIn(service, email);
      }
    expect(await state()).toEqual(before);
  });

  it('no filter reveals whether a hidden value exists', async () => {
    const otto = service.client(await keyOf({ as: 'otto@acme.test' }));
    const { body } = await otto.get('/api/v1/workflows/desk/tasks?Parts.verborgen field[contains]=geheim').expect(422); // prettier-ignore
    expect(body).toEqual({
      errors: { 'Parts.verborgen field[contains]': ['is not a field of the linked tasks'] },
    });
    await api.get('/api/v1/workflows/desk/tasks?Parts.verborgen field[contains]=geheim').expect(200);
  });

  it.each(Object.entries(readers))('to %s: by no route that writes', async (_, reader) => {
    expect(await leaksOf(reader, true)).toEqual([]);
  });
});

/** Something for whatever a form may ask. */
const filledIn = { name: 'Note', value: 'stolen', body: 'stolen', title: 'stolen', status: 'Completed', stage: 'Done', version: '1', was: 'null' }; // prettier-ignore
