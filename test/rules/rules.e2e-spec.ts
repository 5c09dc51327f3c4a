import { type Event } from '../events/following.js';
import { type Client } from '../support/service.js';
import { type RulesSetting, rulesOfFile, runsOf, settledTask, tickets } from './rules.js';

// A rule starts an action when something happens.
let setting: RulesSetting;
let api: Client;
const startRules = await rulesOfFile();
async function start(...rules: string[]): Promise<void> {
  setting = await startRules(rules);
  ({ api } = setting);
}

const rules = '/api/v1/workflows/tickets/rules';
const at = (id: string): string => `${tickets}/${id}`;
const settled = (id: string): Promise<Record<string, unknown>> => settledTask(setting, at(id));

it('field_changed: from and to are values, or lists of them; null is blank', async () => {
  await start(
    'id: up, on: field_changed, field: Risk, from: [Low, Medium], to: High, run: assign-mina',
    'id: first, on: field_changed, field: Value, from: null, run: fill',
    'id: one-of, on: field_changed, field: [Count, Value], to: 3, run: fill',
  );
  await api.post(tickets, { ID: '1', Risk: 'Low' }).expect(201);
  await api.post(tickets, { ID: '2' }).expect(201);
  await api.post(tickets, { ID: '2', Risk: 'High' }).expect(200);
  await api.post(tickets, { ID: '1', Risk: 'High', Value: 3, Count: 9 }).expect(200);
  expect(await settled('1')).toMatchObject({ 'Assigned To': 'mina@acme.test', Note: 'filled' });
  expect(await runsOf(api, '2')).toEqual([]);
  expect((await runsOf(api, '1')).map(({ by, because }) => [by.id, because])).toEqual([
    ['one-of', 'Value went from blank to 3.00'],
    ['first', 'Value went from blank to 3.00'],
    ['up', 'Risk went from Low to High'],
  ]);
});

it('stage_entered counts a creation, and stage_left does not', async () => {
  await start(
    'id: in, on: stage_entered, stages: [New, Busy], run: count',
    'id: out, on: stage_left, stage: New, run: fill',
  );
  await api.post(tickets, { ID: '1' }).expect(201);
  expect(await settled('1')).toMatchObject({ Count: '1', Note: null });
  await api.post(tickets, { ID: '1', Stage: 'Busy' }).expect(200);
  expect(await settled('1')).toMatchObject({ Count: '2', Note: 'filled' });
});

it('assigned, linked and commented', async () => {
  await start(
    'id: to-theo, on: assigned, to: theo@acme.test, run: fill',
    'id: linked, on: linked, relationship: orders, run: count',
    `id: said, on: commented, when: 'comment["body"].contains("urgent") && actor["kind"] == "key"', run: review`,
  );
  await api.post('/api/v1/workflows/orders/tasks', { Order: 'O-1' }).expect(201);
  await api
    .post(tickets, { ID: '1', 'Assigned To': 'theo@acme.test', Orders: [{ Order: 'O-1' }] })
    .expect(201);
  await api.post(`${at('1')}/comments`, { body: 'later' }).expect(201);
  await api.post(`${at('1')}/comments`, { body: 'this is urgent' }).expect(201);
  expect(await settled('1')).toMatchObject({ Note: 'filled', Count: '1', Stage: 'Review' });
  expect((await runsOf(api, '1')).map(({ by }) => by.id)).toEqual(['said', 'linked', 'to-theo']);
});

it('checklist_completed happens with the last open item of the stage, once', async () => {
  await start('id: done, on: checklist_completed, stage: New, run: count');
  await api.post(tickets, { ID: '1' }).expect(201);
  for (const { id } of await api.read<{ id: string }[]>(`${at('1')}/checklist_items`))
    await api.put(`${at('1')}/checklist_items/${id}`, { status: 'Completed' }).expect(200);
  expect(await settled('1')).toMatchObject({ Count: '1' });
  expect(await runsOf(api, '1')).toHaveLength(1);
});

it('execution_failed and execution_succeeded concern actions of people and clients', async () => {
  await start(
    'id: broken, on: execution_failed, action: break, run: fill',
    'id: well, on: execution_succeeded, action: review, run: count',
  );
  await api.post(tickets, { ID: '1', Note: 'no risk' }).expect(201);
  for (const action_id of ['break', 'review'])
    await api.post('/api/v1/workflows/tickets/executions', { task_id: '1', action_id }).expect(202);
  expect(await settled('1')).toMatchObject({ Note: 'filled', Count: '1' });
});

it("a rule runs on 100 tasks linked by a relationship's name or id, and notes that there are more", async () => {
  await start(
    'id: close-all, on: stage_entered, stage: Done, of: Orders, run: close',
    'id: close-one, on: commented, of: orders, run: close',
  );
  const orders = '/api/v1/workflows/orders/tasks';
  const Orders = Array.from({ length: 101 }, (_, n) => ({ Order: `O-${n}` }));
  for (const order of [...Orders, { Order: 'one' }]) await api.post(orders, order).expect(201);
  await api.post(tickets, { ID: '1', Orders }).expect(201);
  await api.post(tickets, { ID: '2', Orders: [{ Order: 'one' }] }).expect(201);
  await api.post(`${at('2')}/comments`, { body: 'Close it' }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Done' }).expect(200);
  await setting.settle();
  const because = 'Orders has more than 100 tasks, so some were left out';
  expect(await runsOf(api, '1')).toMatchObject([{ result: 'failed', because, execution: null }]);
  expect(await api.read(`${orders}/one`)).toMatchObject({ Stage: 'Closed' });
  const closed = await api.get(`${orders}?Stage=Closed&_count=true&_limit=1`);
  expect(closed.headers['x-total-count']).toBe('101');
});

it('a rule acts as itself, or as the user in `as`; every event names the cause', async () => {
  await start(
    'id: itself, on: created, run: fill',
    'id: as-theo, on: created, as: theo@acme.test, run: count',
  );
  await api.post(tickets, { ID: '1' }).expect(201);
  expect(await settled('1')).toMatchObject({ Note: 'filled', Count: '1' });
  const events = await api.read<Event[]>(`${at('1')}/history`);
  const [created] = events.slice(-1);
  expect(created?.data.cause).toBeNull();
  for (const [name, id, actor] of [
    ['Note', 'itself', { kind: 'rule', id: 'itself' }],
    ['Count', 'as-theo', { kind: 'user', id: 'theo@acme.test' }],
  ] as const) {
    const chain = [{ rule: id, task: created?.data.task?.id }];
    const cause = { kind: 'rule', id, event: created?.id, chain };
    const change = events.find(({ data }) => data.cause && name in (data.changes ?? {}));
    expect(change?.data).toMatchObject({ actor, cause });
  }
});

it('a rule is judged in its turn: rule 1 fills what rule 2 requires', async () => {
  await start('id: one, on: created, run: fill', 'id: two, on: created, run: noted');
  await api.post(tickets, { ID: '1' }).expect(201);
  expect(await settled('1')).toMatchObject({ Note: 'filled', Risk: 'Low' });
});

it('a run is unavailable if requirements are not met in its turn: no failure, and no rule follows', async () => {
  await start('id: noted, on: created, run: noted', 'id: failed, on: execution_failed, run: count');
  await api.post(tickets, { ID: '1' }).expect(201);
  await setting.settle();
  const unavailable = { result: 'unavailable', by: { id: 'noted' }, because: 'Note is required' };
  expect(await runsOf(api, '1')).toMatchObject([unavailable]);
  expect(await api.read(`${at('1')}/history?_limit=1`)).toMatchObject([
    { type: 'execution.failed', data: { execution: { unavailable: true } } },
  ]);
  expect(await settled('1')).toMatchObject({ Count: '0' });
});

it('a run has failed, not been unavailable, if its execution was cancelled', async () => {
  await start('id: one, on: created, run: fill');
  await api.post(tickets, { ID: '1' }).expect(201);
  await setting.settle({ kind: 'follow' });
  const [run] = await runsOf(api, '1');
  await api.delete(`/api/v1/workflows/tickets/executions/${run?.execution ?? ''}`).expect(204);
  expect(await runsOf(api, '1')).toMatchObject([{ result: 'failed', because: 'was cancelled' }]);
});

it('a loop ends when the same rule reaches the same task again, and records its chain as an event', async () => {
  await start(
    'id: there, on: stage_entered, stage: Busy, run: review',
    'id: back, on: stage_entered, stage: Review, run: busy',
  );
  await api.post(tickets, { ID: '1' }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Busy' }).expect(200);
  await setting.settle();
  const runs = await runsOf(api, '1');
  const results = ['there: loop', 'back: started', 'there: started'];
  expect(runs.map(({ by, result }) => `${by.id}: ${result}`)).toEqual(results);
  expect(runs[0]?.chain.map(({ rule }) => rule)).toEqual(['there', 'back', 'there']);
  const data = { rule: { id: 'there' }, actor: { kind: 'rule', id: 'there' } };
  expect(await api.read('/api/v1/events?type=rule.loop')).toMatchObject([{ data }]);
});

it('a loop through a timer ends, too, because the timer keeps the chain', async () => {
  await start(
    'id: wait, on: stage_entered, stage: Review, run: later',
    'id: back, on: stage_entered, stage: Busy, run: review',
  );
  await api.post(tickets, { ID: '1', Stage: 'New' }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Review' }).expect(200);
  for (let hour = 0; hour < 3; hour += 1) await setting.settle({ after: 3_700_000 });
  const runs = await runsOf(api, '1');
  const results = ['wait: loop', 'back: started', 'timer: started', 'wait: started'];
  const nameOf = (id: string): string => (['wait', 'back'].includes(id) ? id : 'timer');
  expect(runs.map(({ by, result }) => `${nameOf(by.id)}: ${result}`)).toEqual(results);
  expect(runs[0]?.chain.map(({ rule }) => rule)).toEqual(['wait', 'back', 'wait']);
});

it('limit per_task: what a rule causes above it is throttled, with one event; clients never are', async () => {
  await start(
    'id: first, on: field_changed, field: Value, run: fill',
    'id: again, on: field_changed, field: Note, run: count, limit: { per_task: 1 per hour }',
  );
  await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
  for (const Value of [1, 2, 3]) {
    await api.post(tickets, { ID: '1', Note: null }).expect(200);
    await api.post(tickets, { ID: '1', Value }).expect(200);
    expect(await settled('1')).toMatchObject({ Note: 'filled' });
  }
  const runs = (await runsOf(api, '1')).filter(({ by }) => by.id === 'again');
  expect(runs.filter(({ result }) => result === 'throttled')).toHaveLength(2);
  expect(await api.read('/api/v1/events?type=rule.throttled')).toHaveLength(1);
});

it('a paused rule records silenced runs, stays paused over an apply, and can be resumed', async () => {
  const rule = 'id: count, on: created, run: count';
  await start(rule);
  await api.post(`${rules}/count/pause`).expect(403);
  await setting.admin.post(`${rules}/count/pause`).expect(200, /"state":"paused"/);
  await setting.rules([rule, 'id: other, on: assigned, run: fill']);
  await api.post(tickets, { ID: '1' }).expect(201);
  await setting.settle();
  const silenced = { result: 'silenced', because: 'the rule is paused', execution: null };
  expect(await runsOf(api, '1')).toMatchObject([silenced]);
  await setting.admin.post(`${rules}/count/resume`).expect(200);
  await api.post(tickets, { ID: '2' }).expect(201);
  expect(await settled('2')).toMatchObject({ Count: '1' });
  const told = await api.read('/api/v1/events?type=rule.paused&type=rule.resumed');
  expect(told).toMatchObject([{ type: 'rule.paused' }, { type: 'rule.resumed' }]);
});

it('explain says what did not match, and stores nothing', async () => {
  await start(
    `id: high, on: field_changed, field: Risk, to: High, when: 'task["Value"] > 10 && task["Note"] != null', run: noted`,
    'id: new, on: created, run: fill',
  );
  await api.post(tickets, { ID: '1', Value: 20 }).expect(201);
  expect(await settled('1')).toMatchObject({ Note: 'filled' });
  await api.post(tickets, { ID: '1', Note: null }).expect(200);
  const explained = async (change: object): Promise<unknown> => {
    await api.post(tickets, { ID: '1', ...change }).expect(200);
    const [event] = await api.read<{ id: string }[]>(`${tickets}/1/history?_limit=1`);
    return api.send(`${rules}/explain`, { event: event?.id });
  };
  const isNotTrue = 'task["Value"] > 10 && task["Note"] != null is not true';
  expect(await explained({ Risk: 'High' })).toEqual([
    { rule: 'high', matched: false, because: isNotTrue },
    { rule: 'new', matched: false, because: 'the event is task.updated; the rule waits for task.created' },
  ]);
  expect(await explained({ Risk: 'Low' })).toMatchObject([{ because: 'Risk went from High to Low' }, {}]);
  await api.post(`${rules}/explain`, { event: 'evt_00000000000000000000000000000000' }).expect(404);
  expect((await runsOf(api, '1')).filter(({ by }) => by.id === 'high')).toEqual([]);
});
