import { startServiceWith } from '../support/service.js';

const head = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: starters
    name: Starters
    stages: [{ name: New }, { name: Ordered }, { name: Late }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: First Day, type: date }
      - { name: Meeting, type: datetime }
      - { name: Needed By, type: date, change: by_actions }
      - { name: Reason, type: text, change: by_actions }
      - { name: Former, type: text, change: by_actions }
      - { name: Note, type: text }
    actions:
      - { id: order, name: Order, start: by_rules, fields: [{ field: Needed By, required: true }, Former], steps: [{ name: Move, type: move_to_stage, stage: Ordered }] }
      - { id: late, name: Late, fields: [{ field: Reason, required: true }], steps: [{ name: Move, type: move_to_stage, stage: Late }] }
      - { id: snooze, name: Snooze, steps: [{ name: Later, type: schedule_action, action: late, after: 1 minutes, fields: { Reason: { expression: '"snoozed " + task["Note"]' } } }] }
`;
const starters = `${head}
    rules:
      - id: order
        on: field_changed
        field: Note
        run: order
        fields: { Needed By: { expression: 'add_days(task["First Day"], -1)' }, Former: { expression: 'before["Note"]' } }
    clocks:
      - { id: start, due: { field: Meeting }, rungs: [{ at: '100%', run: late, fields: { Reason: 'met about {{Note}}' } }] }
    schedules:
      - { id: sweep, cron: '0 7 * * *', for: 'Note=sweep', run: late, fields: { Reason: swept } }
`;

const { service, api } = await startServiceWith(starters, {}, 'admin');

// Rule: rules, rungs, schedules and `schedule_action` give values by `fields`, too.
describe('automatic starts give the values that an action asks for', () => {
  const DAY = 24 * 3_600_000;
  const tasks = '/api/v1/workflows/starters/tasks';

  /** Expects this of a task once all is done. */
  async function becomes(ID: string, values: object, after = 0): Promise<void> {
    await service.settle({ after });
    expect(await api.read(`${tasks}/${ID}`)).toMatchObject(values);
  }

  it('a rule gives values of the event', async () => {
    await api.post(tasks, { ID: 'r', Note: 'a', 'First Day': '2027-03-01' }).expect(201);
    await api.put(tasks, { ID: 'r', Note: 'b' }).expect(200);
    await becomes('r', { Stage: 'Ordered', 'Needed By': '2027-02-28', Former: 'a' });
  });

  it('a rule with invalid values starts nothing, and its run says why', async () => {
    await api.post(tasks, { ID: 's', Note: 'a' }).expect(201);
    await api.put(tasks, { ID: 's', Note: 'b' }).expect(200);
    await service.settle();
    expect(await api.read(`${tasks}/s/runs`)).toMatchObject([
      { result: 'failed', because: "found no matching overload for 'add_days(null, int)'" },
    ]);
  });

  it('a timer of a step gives values when it starts the action', async () => {
    await api.post(tasks, { ID: 'u', Note: 'y' }).expect(201);
    await api
      .post('/api/v1/workflows/starters/executions', { task_id: 'u', action_id: 'snooze' })
      .expect(202);
    await service.settle();
    await becomes('u', { Stage: 'Late', Reason: 'snoozed y' }, 61_000);
  });

  it('a rung gives values', async () => {
    const Meeting = new Date(Date.now() + DAY).toISOString();
    await api.post(tasks, { ID: 'c', Note: 'money', Meeting }).expect(201);
    await service.settle();
    await becomes('c', { Stage: 'Late', Reason: 'met about money' }, DAY);
  });

  it('a schedule gives values', async () => {
    await api.post(tasks, { ID: 'w', Note: 'sweep' }).expect(201);
    await api.post('/api/v1/workflows/starters/schedules/sweep/run', {}).expect(202);
    await becomes('w', { Stage: 'Late', Reason: 'swept' });
  });

  it.each([
    ['run: late', 'leaves out Reason, which Late asks for: write it under fields'],
    ['run: late, fields: { Reason: x, Note: y }', 'is not asked for by Late'],
    ['run: order, fields: { Needed By: tomorrow }', 'is not a date in YYYY-MM-DD format'],
  ])('a rule with too few or too many values is refused: %s', async (run, message) => {
    const wrong = `${head}    rules: [{ id: r, on: created, ${run} }]\n`;
    await expect(service.apply(wrong)).rejects.toThrow(message);
  });
});
