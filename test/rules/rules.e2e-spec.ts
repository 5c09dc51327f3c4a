import { type RulesSetting, rulesOfFile, runsOf, settledTask, tickets } from './rules.js';

// time.md, 2: a rule starts an action when something happens.
let setting: RulesSetting;
const startRules = rulesOfFile();

const at = (id: string): string => `${tickets}/${id}`;

describe('a trigger', () => {
  it('field_changed: from and to are values, or lists of them; null is blank', async () => {
    setting = await startRules([
      'id: up, on: field_changed, field: Risk, from: [Low, Medium], to: High, run: assign-mina',
      'id: first, on: field_changed, field: Value, from: null, run: fill',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1', Risk: 'Low' }).expect(201);
    await api.post(tickets, { ID: '2' }).expect(201);
    await api.post(tickets, { ID: '2', Risk: 'High' }).expect(200);
    await api.post(tickets, { ID: '1', Risk: 'High', Value: 3 }).expect(200);
    expect(await settledTask(setting, at('1'))).toMatchObject({
      'Assigned To': 'mina@acme.test',
      Note: 'filled',
    });
    expect(await runsOf(api, '2')).toEqual([]);
    expect((await runsOf(api, '1')).map(({ by, because }) => [by.id, because])).toEqual([
      ['first', 'Value went from blank to 3.00'],
      ['up', 'Risk went from Low to High'],
    ]);
  });

  it('stage_entered counts a creation, stage_left does not', async () => {
    setting = await startRules([
      'id: in, on: stage_entered, stages: [New, Busy], run: count',
      'id: out, on: stage_left, stage: New, run: fill',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1' }).expect(201);
    expect(await settledTask(setting, at('1'))).toMatchObject({ Count: '1', Note: null });
    await api.post(tickets, { ID: '1', Stage: 'Busy' }).expect(200);
    expect(await settledTask(setting, at('1'))).toMatchObject({ Count: '2', Note: 'filled' });
  });

  it('assigned, linked and commented', async () => {
    setting = await startRules([
      'id: to-theo, on: assigned, to: theo@acme.test, run: fill',
      'id: linked, on: linked, relationship: orders, run: count',
      `id: said, on: commented, when: 'comment["body"].contains("urgent") && actor["kind"] == "key"', run: review`,
    ]);
    const { api } = setting;
    await api.post('/api/v1/workflows/orders/tasks', { Order: 'O-1' }).expect(201);
    await api
      .post(tickets, { ID: '1', 'Assigned To': 'theo@acme.test', Orders: [{ Order: 'O-1' }] })
      .expect(201);
    await api.post(`${at('1')}/comments`, { body: 'later' }).expect(201);
    await api.post(`${at('1')}/comments`, { body: 'this is urgent' }).expect(201);
    expect(await settledTask(setting, at('1'))).toMatchObject({
      Note: 'filled',
      Count: '1',
      Stage: 'Review',
    });
    expect((await runsOf(api, '1')).map(({ by }) => by.id)).toEqual(['said', 'linked', 'to-theo']);
  });

  it('checklist_completed comes with the last open item of the stage, once', async () => {
    setting = await startRules(['id: done, on: checklist_completed, stage: New, run: count']);
    const { api } = setting;
    await api.post(tickets, { ID: '1' }).expect(201);
    const { body } = await api.get(`${at('1')}/checklist_items`);
    const items = body as { id: string }[];
    for (const { id } of items)
      await api.put(`${at('1')}/checklist_items/${id}`, { status: 'Completed' }).expect(200);
    expect(await settledTask(setting, at('1'))).toMatchObject({ Count: '1' });
    expect(await runsOf(api, '1')).toHaveLength(1);
  });

  it('execution_failed and execution_succeeded tell of actions of people and clients', async () => {
    setting = await startRules([
      'id: broken, on: execution_failed, action: break, run: fill',
      'id: well, on: execution_succeeded, action: review, run: count',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1', Note: 'no risk' }).expect(201);
    for (const action_id of ['break', 'review'])
      await api.post('/api/v1/workflows/tickets/executions', { task_id: '1', action_id }).expect(202);
    expect(await settledTask(setting, at('1'))).toMatchObject({ Note: 'filled', Count: '1' });
  });
});

it('runs on 100 linked tasks, and says on the task of the event that there are more', async () => {
  setting = await startRules(['id: close-all, on: stage_entered, stage: Done, of: Orders, run: close']);
  const { api } = setting;
  const Orders = Array.from({ length: 101 }, (_, n) => ({ Order: `O-${n}` }));
  for (const order of Orders) await api.post('/api/v1/workflows/orders/tasks', order).expect(201);
  await api.post(tickets, { ID: '1', Orders }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Done' }).expect(200);
  await setting.settle();
  expect(await runsOf(api, '1')).toMatchObject([
    { result: 'failed', because: 'Orders has more tasks than the 100 on which it runs', execution: null },
  ]);
  const closed = '/api/v1/workflows/orders/tasks?Stage=Closed&_count=true&_limit=1';
  expect((await api.get(closed)).headers['x-total-count']).toBe('100');
});

it('runs on tasks that are linked by the relationship of this id, too', async () => {
  setting = await startRules(['id: close-all, on: stage_entered, stage: Done, of: orders, run: close']);
  const { api } = setting;
  await api.post('/api/v1/workflows/orders/tasks', { Order: 'O-1' }).expect(201);
  await api.post(tickets, { ID: '1', Orders: [{ Order: 'O-1' }] }).expect(201);
  await api.post(tickets, { ID: '1', Stage: 'Done' }).expect(200);
  await setting.settle();
  expect((await api.get('/api/v1/workflows/orders/tasks/O-1')).body).toMatchObject({ Stage: 'Closed' });
});

it('acts as itself, or as the user in `as`; every event names the cause', async () => {
  setting = await startRules([
    'id: itself, on: created, run: fill',
    'id: as-theo, on: created, as: theo@acme.test, run: count',
  ]);
  const { api } = setting;
  await api.post(tickets, { ID: '1' }).expect(201);
  expect(await settledTask(setting, at('1'))).toMatchObject({ Note: 'filled', Count: '1' });
  const { body } = await api.get(`${at('1')}/history`);
  const events = body as {
    id: string;
    type: string;
    data: { actor: unknown; cause: unknown; changes?: object };
  }[];
  const created = events.at(-1);
  const { body: task } = await api.get(at('1'));
  const publicId = String((task as Record<string, unknown>)['Task URL'])
    .split('/')
    .at(-1);
  const cause = (id: string) => ({
    kind: 'rule',
    id,
    event: created?.id,
    chain: [{ rule: id, task: publicId }],
  });
  const change = (name: string) =>
    events.find(({ type, data }) => type === 'task.updated' && name in (data.changes ?? {}));
  expect(created?.data.cause).toBeNull();
  expect(change('Note')?.data).toMatchObject({
    actor: { kind: 'rule', id: 'itself' },
    cause: cause('itself'),
  });
  expect(change('Count')?.data).toMatchObject({
    actor: { kind: 'user', id: 'theo@acme.test' },
    cause: cause('as-theo'),
  });
});

it('is judged in its turn: rule 1 fills what rule 2 requires', async () => {
  setting = await startRules(['id: one, on: created, run: fill', 'id: two, on: created, run: noted']);
  await setting.api.post(tickets, { ID: '1' }).expect(201);
  expect(await settledTask(setting, at('1'))).toMatchObject({ Note: 'filled', Risk: 'Low' });
});

it('is unavailable where requirements are not met in its turn: no failure, and no rule follows', async () => {
  setting = await startRules([
    'id: noted, on: created, run: noted',
    'id: failed, on: execution_failed, run: count',
  ]);
  const { api } = setting;
  await api.post(tickets, { ID: '1' }).expect(201);
  await setting.settle();
  expect(await runsOf(api, '1')).toMatchObject([
    { result: 'unavailable', by: { id: 'noted' }, because: 'Note is required' },
  ]);
  const { body } = await api.get(`${at('1')}/history?_limit=1`);
  expect(body).toMatchObject([{ type: 'execution.failed', data: { execution: { unavailable: true } } }]);
  expect(await settledTask(setting, at('1'))).toMatchObject({ Count: '0' });
});

describe('a loop', () => {
  it('ends where the same rule comes to the same task again, shows its chain, and is an event', async () => {
    setting = await startRules([
      'id: there, on: stage_entered, stage: Busy, run: review',
      'id: back, on: stage_entered, stage: Review, run: busy',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1' }).expect(201);
    await api.post(tickets, { ID: '1', Stage: 'Busy' }).expect(200);
    await setting.settle();
    const runs = await runsOf(api, '1');
    expect(runs.map(({ by, result }) => [by.id, result])).toEqual([
      ['there', 'loop'],
      ['back', 'started'],
      ['there', 'started'],
    ]);
    expect(runs[0]?.chain.map(({ rule }) => rule)).toEqual(['there', 'back', 'there']);
    const { body } = await api.get('/api/v1/events?type=rule.loop');
    expect(body).toMatchObject([{ data: { rule: { id: 'there' }, actor: { kind: 'rule', id: 'there' } } }]);
  });
});

describe('a loop through a timer', () => {
  it('ends, too: the timer carries the chain on', async () => {
    setting = await startRules([
      'id: wait, on: stage_entered, stage: Review, run: later',
      'id: back, on: stage_entered, stage: Busy, run: review',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1', Stage: 'New' }).expect(201);
    await api.post(tickets, { ID: '1', Stage: 'Review' }).expect(200);
    for (let hour = 0; hour < 3; hour += 1) await setting.settle({ after: 3_700_000 });
    const runs = await runsOf(api, '1');
    expect(
      runs.map(({ by, result }) => [['wait', 'back'].includes(by.id) ? by.id : 'timer', result]),
    ).toEqual([
      ['wait', 'loop'],
      ['back', 'started'],
      ['timer', 'started'],
      ['wait', 'started'],
    ]);
    expect(runs[0]?.chain.map(({ rule }) => rule)).toEqual(['wait', 'back', 'wait']);
  });
});

describe('limits', () => {
  it('limits a rule: further runs wait and start later, in order; none is lost', async () => {
    setting = await startRules([
      'id: count, on: field_changed, field: Value, run: count, limit: { per_rule: 2 per hour }',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
    for (const Value of [1, 2, 3, 4]) await api.post(tickets, { ID: '1', Value }).expect(200);
    await setting.settle();
    const results = (await runsOf(api, '1')).map(({ result }) => result);
    expect(results).toEqual(['waiting', 'waiting', 'started', 'started']);
    expect(await settledTask(setting, at('1'))).toMatchObject({ Count: '2' });
    await setting.settle({ after: 3_600_000 });
    expect(await settledTask(setting, at('1'))).toMatchObject({ Count: '4' });
  });

  it('per task: what a rule causes above it is throttled, with one event; what clients do never is', async () => {
    setting = await startRules([
      'id: first, on: field_changed, field: Value, run: fill',
      'id: again, on: field_changed, field: Note, run: count, limit: { per_task: 1 per hour }',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1', Value: 0 }).expect(201);
    for (const Value of [1, 2, 3]) {
      await api.post(tickets, { ID: '1', Note: null }).expect(200);
      await api.post(tickets, { ID: '1', Value }).expect(200);
      expect(await settledTask(setting, at('1'))).toMatchObject({ Note: 'filled' });
    }
    const runs = (await runsOf(api, '1')).filter(({ by }) => by.id === 'again');
    expect(runs.filter(({ result }) => result === 'throttled')).toHaveLength(2);
    const { body } = await api.get('/api/v1/events?type=rule.throttled');
    expect(body).toHaveLength(1);
  });
});

describe('a paused rule', () => {
  it('records what it would have started as silenced, stays paused over an apply, and can be resumed', async () => {
    const rule = 'id: count, on: created, run: count';
    setting = await startRules([rule]);
    const { api, admin } = setting;
    await api.post('/api/v1/workflows/tickets/rules/count/pause').expect(403);
    await admin.post('/api/v1/workflows/tickets/rules/count/pause').expect(200, {
      id: 'count',
      on: 'created',
      run: 'count',
      state: 'paused',
      last_run_at: null,
    });
    await setting.rules([rule, 'id: other, on: assigned, run: fill']);
    await api.post(tickets, { ID: '1' }).expect(201);
    await setting.settle();
    expect(await runsOf(api, '1')).toMatchObject([
      { result: 'silenced', because: 'the rule is paused', execution: null },
    ]);
    await admin.post('/api/v1/workflows/tickets/rules/count/resume').expect(200);
    await api.post(tickets, { ID: '2' }).expect(201);
    expect(await settledTask(setting, at('2'))).toMatchObject({ Count: '1' });
    const { body } = await api.get('/api/v1/events?type=rule.paused&type=rule.resumed');
    expect((body as { type: string }[]).map(({ type }) => type)).toEqual(['rule.paused', 'rule.resumed']);
  });
});

describe('explain and dry_run', () => {
  it('say what did not match, and store nothing', async () => {
    setting = await startRules([
      `id: high, on: field_changed, field: Risk, to: High, when: 'task["Value"] > 10 && task["Note"] != null', run: noted`,
      'id: new, on: created, run: fill',
    ]);
    const { api } = setting;
    await api.post(tickets, { ID: '1', Value: 20 }).expect(201);
    expect(await settledTask(setting, at('1'))).toMatchObject({ Note: 'filled' });
    await api.post(tickets, { ID: '1', Note: null }).expect(200);
    const { headers } = await api.post(tickets, { ID: '1', Risk: 'High' }).expect(200);
    const explain = '/api/v1/workflows/tickets/rules/explain';
    await api.post(explain, { event: headers['event-id'] as string }).expect(200, [
      { rule: 'high', matched: false, because: 'task["Note"] != null is not true' },
      { rule: 'new', matched: false, because: 'the event is task.updated; the rule waits for task.created' },
    ]);
    const low = await api.post(tickets, { ID: '1', Risk: 'Low' }).expect(200);
    const { body } = await api.post(explain, { event: low.headers['event-id'] as string });
    expect(body).toMatchObject([
      { because: 'Risk went from High to Low; the rule waits for field_changed to High' },
      {},
    ]);
    await api.post(explain, { event: 'evt_00000000000000000000000000000000' }).expect(404);
    const dry = '/api/v1/workflows/tickets/rules/high/dry_run';
    await api.post(dry, { task_id: '1' }).expect(200, {
      result: null,
      because: `task["Value"] > 10 && task["Note"] != null is not true`,
      unmet: [],
    });
    await api.post(tickets, { ID: '1', Note: 'x' }).expect(200);
    await api.post(dry, { task_id: '1' }).expect(200, {
      result: 'started',
      because: 'field_changed of this task starts noted',
      unmet: [],
    });
    expect((await runsOf(api, '1')).filter(({ by }) => by.id === 'high')).toEqual([]);
  });
});

it('begins when it is applied: what happened before starts nothing', async () => {
  setting = await startRules([]);
  const { api } = setting;
  await api.post(tickets, { ID: 'old' }).expect(201);
  await setting.rules(['id: count, on: created, run: count']);
  await api.post(tickets, { ID: 'new' }).expect(201);
  expect(await settledTask(setting, at('new'))).toMatchObject({ Count: '1' });
  expect(await runsOf(api, 'old')).toEqual([]);
});
