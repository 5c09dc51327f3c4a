import { receiverOfFile } from '../support/receiver.js';
import { startServiceWith } from '../support/service.js';
import { everything } from './everything.js';

type Shown = Record<string, unknown>;
type Ended = { readonly id: string; readonly status: string; readonly errors?: readonly string[] };

const things = '/api/v1/workflows/things/tasks';
const likes = '/api/v1/workflows/likes/tasks';
const runs = '/api/v1/workflows/things/executions';
const Files = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'AAAA' }];
const receiver = await receiverOfFile();
for (const open of ['/undo-call', '/far/', '/when/']) receiver.answer(open, (response) => response.end());
/** Lets the calls at the gate go on. */
let release: () => void;
receiver.answer('/', (response) => (release = () => response.end()));
const definition = JSON.stringify(everything(receiver.url));
const { service, api } = await startServiceWith(definition, { WTS_OUTBOUND_ALLOW: '127.0.0.1' });
const success = { status: 'Success' };

async function thing(ID: string, further: object = {}): Promise<void> {
  await api.post(things, { ID, Fixed: 'f', Number: 7, Files, ...further }).expect(201);
}

async function start(action_id: string, task_id: string, performed_by?: string): Promise<string> {
  const { body } = await api.post(runs, { task_id, action_id, performed_by }).expect(202);
  return (body as Ended).id;
}

async function end(id: string): Promise<Omit<Ended, 'id'>> {
  const { body } = await api.get(`${runs}/${id}`).set('Prefer', 'wait=20').expect(200);
  const { status, errors } = body as Ended;
  return { status, ...(errors && { errors }) };
}

async function perform(action: string, task: string, performer?: string): Promise<Omit<Ended, 'id'>> {
  return end(await start(action, task, performer));
}

const shown = (path: string): Promise<Shown> => api.read<Shown>(path);

/** Begins an action whose first step waits for an answer, does something, and lets it go on. */
async function whileCalling(
  action: string,
  task: string,
  work: () => Promise<unknown>,
  performer?: string,
): Promise<Omit<Ended, 'id'>> {
  const id = await start(action, task, performer);
  const ended = end(id);
  await receiver.called(`/${encodeURIComponent(task)}`);
  await work();
  release();
  return ended;
}

/** One value for each field that a step can set. */
const values = {
  Text: 'a "b" {{', Long: 'l1\nl2', Number: '1.125', Price: '10.50', Phone: '+4930123456', Day: '2026-02-28', Moment: '2026-02-28T10:00:00.000Z',
  Owner: 'mina@acme.test', Tier: 'Silver', Tags: ['A', 'B'], 'Open?': true, 'E-mail': 'x@y.test', Website: 'https://x.test/?a=b',
}; // prettier-ignore

describe('update_fields', () => {
  it('a template that is one reference gives a field the value of another, for each type', async () => {
    await thing('copy', values);
    expect(await perform('copy', 'copy')).toEqual(success);
    const after = await shown(`${things}/copy`);
    for (const name of Object.keys(values)) expect([name, after[`${name} 2`]]).toEqual([name, after[name]]);
    const filled = { 'Text 2': 'x', 'Tags 2': ['A'], 'Open? 2': true, 'Owner 2': 'mina@acme.test' };
    await thing('blank', { Number: null, ...filled });
    expect(await perform('copy', 'blank')).toEqual(success);
    const blank = { 'Text 2': null, 'Tags 2': [], 'Open? 2': false, 'Owner 2': null };
    expect(await shown(`${things}/blank`)).toMatchObject(blank);
  });

  it.each<[string, object, string | undefined, object]>([
    ['constants', values, undefined, {
      Text: 'x', Number: '1.5', Price: '2.00', Day: '2026-02-28', Owner: 'mina@acme.test', Tier: 'Gold', Tags: ['B'], 'Open?': true, Long: null,
    }],
    ['compute', values, 'mina@acme.test', {
      Day: '2026-03-01', 'Day 2': '2026-03-30', 'Number 2': '0.482', 'Price 2': '10.60',
      'Open? 2': true, 'Tags 2': ['B'], 'Text 2': 'a "b" {{!', 'Long 2': 'l1\nl2',
    }],
    // Each step sees what those before it have made.
    ['chain', { Number: '1.5' }, undefined, { Number: '5', 'Number 2': '5' }],
  ])('constants, expressions and chains of steps: %s', async (action, before, performer, after) => {
    await service.settle({ at: '2026-03-01T12:00:00Z' });
    await thing(action, before);
    expect(await perform(action, action, performer)).toEqual(success);
    expect(await shown(`${things}/${action}`)).toMatchObject(after);
  }); // prettier-ignore

  it.each([
    ['number', { Text: 'many' }, 'Number: Number 2 is not a number such as 1234.56'],
    ['required', {}, 'Required: Must is required'],
    ['type', { Text: 'five' }, 'Type: Number 2 is not a number such as 1234.56'],
    ['chain', { Number: null }, /^First: /],
  ])('what %s sets is refused', async (action, further, error) => {
    await thing(`refused-${action}`, further);
    const before = await api.get(`${things}/refused-${action}`);
    const { status, errors } = await perform(action, `refused-${action}`);
    expect([status, errors?.length]).toEqual(['Fail', 1]);
    expect(errors?.[0]).toMatch(error);
    const after = await api.get(`${things}/refused-${action}`);
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
  });
});

it('assign gives the task to a person, the performer, nobody, or a person of the linked task', async () => {
  await api.post(likes, { ID: 'owned', Owner: 'theo@acme.test' }).expect(201);
  await thing('given', { many_to_one: { ID: 'owned' } });
  const assigned = async (): Promise<unknown> => (await shown(`${things}/given`))['Assigned To'];
  expect(await perform('take', 'given', 'MINA@acme.test')).toEqual(success);
  expect(await assigned()).toBe('mina@acme.test');
  await perform('free', 'given');
  expect(await assigned()).toBeNull();
  await perform('hand', 'given');
  expect(await assigned()).toBe('theo@acme.test');
  const errors = ['Take: there is no performer to assign the task to'];
  expect(await perform('take', 'given')).toEqual({ status: 'Fail', errors });
});

it('templates name fields of a single linked task, and are blank without one', async () => {
  await api.post(likes, { ID: 'L-1', Text: 'one', Phone: '+4930', Price: '5' }).expect(201);
  await thing('near', { many_to_one: { ID: 'L-1' } });
  expect(await perform('far', 'near')).toEqual(success);
  expect(await shown(`${things}/near`)).toMatchObject({ Text: 'one (New) +4930', Price: '5.00' });
  expect(await shown(`${things}/near/comments`)).toMatchObject([{ body: 'L-1 was told' }]);
  await thing('alone', { Price: '9' });
  expect(await perform('far', 'alone')).toEqual(success);
  expect(await shown(`${things}/alone`)).toMatchObject({ Text: ' () ', Price: null });
  expect(receiver.of('/far/').map(({ path, body }) => [path, body])).toEqual([
    ['/far/L-1', '{"price":"5.00"}'],
    ['/far/', '{"price":null}'],
  ]);
});

it('add_checklist_items adds editable items', async () => {
  await thing('items');
  expect(await perform('items', 'items')).toEqual(success);
  const own = { title: 'Own', editable: false };
  const look = { title: 'Look', Stage: 'New', status: 'Blank', editable: true };
  expect(await shown(`${things}/items/checklist_items`)).toMatchObject([own, look]);
});

it('add_checklist_items fails before a call if the checklist has no room', async () => {
  await thing('full');
  await service.dataSource.query(
    `INSERT INTO checklist_items (workspace_id, id, workflow_id, task_id, title, stage_id, status, is_editable)
     SELECT workspace_id, 'full-' || n, workflow_id, id, 'Item', stage_id, 'Blank', true
     FROM tasks, generate_series(1, 999) n WHERE unique_value = 'full'`,
  );
  const errors = ['Add: would have more than 1000 checklist items'];
  expect(await perform('items-call', 'full')).toEqual({ status: 'Fail', errors });
  expect(receiver.of('/full')).toEqual([]);
});

// Rule: where `when` of a step is false its outcome is `Skipped`, `because: when` (steps that were not reached:
// `because: not reached`); where it raises, the step fails.
describe('when', () => {
  const left = { status: 'Skipped', because: 'when' };

  it.each([
    [5, [left, left, success], { Text: null, Number: '5' }, 0],
    [600, [left, success, success], { Text: null, Number: '600' }, 1],
    // Judged by the task as the steps before it have made it.
    [1200, [success, left, success], { Text: 'large', Number: '200' }, 0],
    [9000, [success, success, success], { Text: 'large', Number: '8000' }, 1],
  ])('a step is skipped if its condition is not true: %d', async (number, steps, task, calls) => {
    const ID = `when-${number}`;
    await thing(ID, { Number: number });
    const id = await start('when', ID);
    expect(await end(id)).toEqual(success);
    expect(await shown(`${runs}/${id}?_verbose=true`)).toMatchObject({ steps });
    expect(await shown(`${things}/${ID}`)).toMatchObject({ ...task, Stage: 'Done' });
    expect(receiver.of(`/when/${ID}`)).toHaveLength(calls);
  });

  it('a condition that raises an error fails the action, and later steps are not reached', async () => {
    await thing('raises', { Number: 0 });
    const id = await start('when-raises', 'raises');
    expect(await end(id)).toEqual({ status: 'Fail', errors: ['Divide: division by zero'] });
    expect(await shown(`${runs}/${id}?_verbose=true`)).toMatchObject({
      steps: [left, { status: 'Fail' }, { status: 'Skipped', because: 'not reached' }],
    });
  });
});

describe('create_linked_task', () => {
  it.each<[string, boolean, (holder: object) => unknown]>([
    ['one_to_one', false, () => null],
    ['many_to_one', false, () => []],
    ['one_to_many', true, (holder) => holder],
    ['many_to_many', true, (holder) => [holder]],
  ])('%s: links the new task, and unlinks the old one on a single side', async (kind, isMultiple, left) => {
    await api.post(likes, { ID: `old-${kind}` }).expect(201);
    const old = { ID: `old-${kind}` };
    await thing(kind, { Text: 'x', [kind]: isMultiple ? [old] : old });
    expect(await perform(`link-${kind}`, kind)).toEqual(success);
    const { [kind]: linked } = await shown(`${things}/${kind}`);
    const made = { ID: `${kind}-x`, Text: 'new', Must: 'm', Stage: 'New' };
    expect(linked).toMatchObject(isMultiple ? [old, made] : made);
    expect(await shown(`${likes}/old-${kind}`)).toMatchObject({ [`of ${kind}`]: left({ ID: kind }) });
    const items = ['First', 'Second'].map((title) => ({ title, editable: false }));
    expect(await shown(`${likes}/${kind}-x/checklist_items`)).toMatchObject(items);
    const again = `Create: Likes ${kind}-x exists already`;
    expect(await perform(`link-${kind}`, kind)).toEqual({ status: 'Fail', errors: [again] });
    expect((await shown(`${things}/${kind}`))[kind]).toEqual(linked);
  });

  it('links tasks of one workflow, from the side that the step names', async () => {
    await thing('self');
    // A new thing would lack its required file.
    const error = 'Create: Files is required';
    expect(await perform('self-from', 'self')).toEqual({ status: 'Fail', errors: [error] });
    await service.apply(
      definition.replace('"type":"file","required":true', '"type":"file","required":false'),
    );
    for (const action of ['self-from', 'self-to']) expect(await perform(action, 'self')).toEqual(success);
    expect(await shown(`${things}/self`)).toMatchObject({
      Children: [{ ID: 'self-child', Text: 'child' }],
      Parent: { ID: 'self-parent', Text: 'parent' },
    });
    expect(await shown(`${things}/self-parent`)).toMatchObject({ Children: [{ ID: 'self' }], Parent: null });
  });

  it('takes the next numbers of a numbered workflow, and skips a number that is taken', async () => {
    await api.post('/api/v1/workflows/numbers/tasks', { No: 2 }).expect(201);
    await thing('count');
    expect(await perform('count', 'count')).toEqual(success);
    expect(((await shown(`${things}/count`))['Numbers'] as Shown[]).length).toBe(2);
  });
});

describe('update_linked_tasks', () => {
  it('updates no linked task, and linked tasks that an earlier step created', async () => {
    await thing('both', { Tags: ['B'], Price: '10.5' });
    expect(await perform('both', 'both')).toEqual(success);
    const set = { Tags: ['B'], Price: '10.50', Stage: 'Busy', 'Assigned To': 'mina@acme.test' };
    expect(await shown(`${likes}/both-new`)).toMatchObject({ ...set, Text: 'all of both' });
    await thing('none');
    expect(await perform('kin', 'none')).toEqual(success);
  });

  it('updates all linked tasks of the same workflow, or none', async () => {
    await thing('crowd');
    const ids = ['c1', 'c2', 'c3'];
    for (const ID of ids) await thing(ID, { Parent: { ID: 'crowd' } });
    const errors = ['Kin: Must is required'];
    expect(await perform('kin-refused', 'crowd')).toEqual({ status: 'Fail', errors });
    expect(await perform('kin', 'crowd')).toEqual(success);
    const told = { Text: 'kin of crowd', Stage: 'Done', 'Assigned To': 'theo@acme.test' };
    for (const ID of ids) expect(await shown(`${things}/${ID}`)).toMatchObject(told);
  });
});

it('delete_task deletes the task with its links, and ends the executions that wait for it', async () => {
  const version = ({ headers }: { headers: Record<string, string> }): number =>
    Number(/"(\d+)-/.exec(String(headers['etag']))?.[1]);
  await api.post(likes, { ID: 'left' }).expect(201);
  await thing('gone', { one_to_many: [{ ID: 'left' }], many_to_many: [{ ID: 'left' }] });
  // One for each of its two links.
  const linked = version(await api.get(`${likes}/left`));
  const ids = [await start('delete', 'gone'), await start('append', 'gone')];
  await service.settle();
  const deleted = { status: 'Fail', errors: ['task was deleted'] };
  expect(await Promise.all(ids.map(end))).toEqual([success, deleted]);
  await api.get(`${things}/gone`).expect(404);
  const left = await api.get(`${likes}/left`).expect(200);
  expect(left.body).toMatchObject({ 'of one_to_many': null, 'of many_to_many': [] });
  expect(version(left)).toBe(linked + 1);
});

it.each(['move', 'assign', 'fill', 'create', 'update', 'items', 'call'])(
  'all or nothing: a last step that fails rolls %s back',
  async (kind) => {
    const ID = `undo-${kind}`;
    await api.post(likes, { ID: `of-${ID}`, Text: 'before' }).expect(201);
    await thing(ID, { one_to_many: [{ ID: `of-${ID}` }] });
    const read = async (): Promise<unknown[]> => {
      const paths = [`${things}/${ID}`, `${things}/${ID}/checklist_items`, `${likes}/of-${ID}`];
      const answers = await Promise.all(paths.map((path) => api.get(path).expect(200)));
      return answers.map(({ body, headers }) => [body as unknown, headers['etag'] as unknown]);
    };
    const before = await read();
    expect(await perform(ID, ID)).toEqual({ status: 'Fail', errors: ['Fail: division by zero'] });
    expect(await read()).toEqual(before);
    await api.get(`${likes}/undone`).expect(404);
  },
);

it('executions of one task run one after another in the order of their POSTs', async () => {
  await thing('order', { Long: '' });
  const ids: string[] = [];
  const ended = await whileCalling('gate', 'order', async () => {
    for (let n = 0; n < 3; n += 1) ids.push(await start('append', 'order'));
    await api.put(things, { ID: 'order', Long: 'x' }).expect(200);
    for (const id of ids) expect((await shown(`${runs}/${id}`))['status']).toBe('Pending');
  });
  expect([ended, ...(await Promise.all(ids.map(end)))]).toEqual([success, success, success, success]);
  expect((await shown(`${things}/order`))['Long']).toBe('x...');
  const list = (await shown(`${runs}?task_id=order&_verbose=true`)) as unknown as Shown[];
  const begun = list.map(({ started }) => String(started)).reverse();
  expect(begun).toEqual([...begun].sort());
  expect(list.map(({ id }) => id).reverse().slice(1)).toEqual(ids);
}); // prettier-ignore

describe('what changes during a call', () => {
  const put = (ID: string, change: object) => api.put(things, { ID, ...change }).expect(200);

  it('other fields, links and files are kept', async () => {
    await api.post(likes, { ID: 'later' }).expect(201);
    await thing('kept');
    const change = { Text: 'by hand', one_to_many: [{ ID: 'later' }], Files: [...Files, ...Files] };
    expect(await whileCalling('gate', 'kept', async () => put('kept', change))).toEqual(success);
    const after = await shown(`${things}/kept`);
    expect(after).toMatchObject({ Text: 'by hand', Stage: 'Busy', one_to_many: [{ ID: 'later' }] });
    expect(after['Files']).toHaveLength(2);
  });

  const demoted = definition.replace('"theo@acme.test","role":"all"', '"theo@acme.test","role":"none"');
  const removeAction = `
    UPDATE workflows SET settings = jsonb_set(settings::jsonb, '{actions}',
      jsonb_path_query_array(settings::jsonb, '$.actions[*] ? (@.id != "gate")'))::json;
    UPDATE workspaces SET version = version + 1`;
  it.each<[string, string, () => PromiseLike<unknown>]>([
    ['the stage', 'gate is not available in stage Done', () => put('the stage', { Stage: 'Done' })],
    ['the task', 'task was deleted', () => api.delete(`${things}/the%20task`).expect(204)],
    ['the role', 'theo@acme.test may not perform gate', () => service.apply(demoted)],
    [
      'the action',
      'is not an action of this workflow any more',
      () => service.dataSource.query(removeAction),
    ],
  ])('%s: the execution ends with one message', async (name, error, work) => {
    await service.apply(definition);
    await thing(name);
    const ended = await whileCalling('gate', name, async () => work(), 'theo@acme.test');
    expect(ended).toEqual({ status: 'Fail', errors: [expect.stringContaining(error)] });
  });

  it('a task that is deleted and created again under its Unique ID is another task', async () => {
    await service.apply(definition);
    await thing('anew', { Text: 'old' });
    const work = async (): Promise<void> => {
      await api.delete(`${things}/anew`).expect(204);
      await thing('anew', { Text: 'new' });
    };
    const errors = ['task was deleted'];
    expect(await whileCalling('gate', 'anew', work)).toEqual({ status: 'Fail', errors });
    expect(await shown(`${things}/anew`)).toMatchObject({ Text: 'new', Stage: 'New' });
  });
});
