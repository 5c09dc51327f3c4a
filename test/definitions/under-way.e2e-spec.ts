import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { receiverOfFile } from '../support/receiver.js';
import { startServiceWith } from '../support/service.js';
import { makeTimer } from '../support/timers.js';

const tickets = '/api/v1/workflows/tickets/tasks';
const executions = '/api/v1/workflows/tickets/executions';
const close = 'id: close, name: Close, steps: [{ name: Move, type: move_to_stage, stage: Done }]';
const shut = close.replace('id: close', 'id: shut, was: close');

/** Tickets with these actions; `more` is what else the workflow holds. */
function definition(actions: string, more = ''): string {
  return `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Open }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Price, type: currency }
      - { name: Note, type: text }
    roles: [{ id: clerk, name: Clerk, actions: [close] }]
    rules: [{ id: priced, on: field_changed, field: Price, run: close }]
    actions: [{ ${actions} }]
${more}`;
}

const receiver = await receiverOfFile();
const { service, api } = await startServiceWith(definition(close), { WTS_OUTBOUND_ALLOW: '127.0.0.0/8' });

// Rule: a change of the definition strands nothing that is under way, and the plan says what is lost.
describe('pending executions and timers', () => {
  const effects = async (yaml: string, isPruning = false): Promise<string[]> => {
    const source = readDefinition(yaml, 'test.yaml');
    const plan = await planDefinition(service.dataSource, source, { isPruning });
    return plan.effects.map(({ kind, name, message }) => `${kind} ${name}: ${message}`);
  };

  /** The file without what names the action. */
  const renamed = (actions: string): string => `
workspace: { id: acme }
workflows: [{ id: tickets, name: Tickets, actions: [{ ${actions} }] }]`;

  it('follow an action to its new id', async () => {
    await api.post(tickets, { ID: 'a' }).expect(201);
    await makeTimer(service, 'a', 'close');
    await api.post(executions, { task_id: 'a', action_id: 'close' }).expect(202);
    await service.apply(renamed(shut));
    await service.settle();
    expect((await api.get(`${tickets}/a`)).body).toMatchObject({ Stage: 'Done' });
    await api.put(tickets, { ID: 'a', Stage: 'Open' }).expect(200);
    await service.settle({ after: 25 * 3_600_000 });
    expect((await api.get(`${tickets}/a`)).body).toMatchObject({ Stage: 'Done' });
    // What names the action follows.
    expect(await api.read('/api/v1/workflows/tickets')).toMatchObject({
      roles: [{ actions: ['shut'] }],
      rules: [{ run: 'shut' }],
    });
  });

  it('follow each action if one action takes the id of another', async () => {
    const actions = (first: string, second: string): string =>
      definition(`${close} }, { id: ${first}, name: First }, { id: ${second}, name: Second`);
    await service.apply(actions('one', 'two'), { isPruning: true });
    await api.post(tickets, { ID: 'd' }).expect(201);
    for (const action of ['one', 'two']) await makeTimer(service, 'd', action);
    await service.apply(actions('two, was: one', 'three, was: two'));
    expect(await api.read(`${tickets}/d/timers`)).toMatchObject([
      { action_id: 'two' },
      { action_id: 'three' },
    ]);
    await api.delete(`${tickets}/d`).expect(204);
  });

  it('lose the timers of a removed action only by permission', async () => {
    const gone = definition('id: other, name: Other').replace(/ {4}(roles|rules): .*\n/g, '    $1: []\n');
    await service.apply(definition(close), { isPruning: true });
    await api.post(tickets, { ID: 'b' }).expect(201);
    await makeTimer(service, 'b', 'close');
    const lost =
      'tickets / close: 1 timer will start nothing. If another action replaces close, write was: close in that action';
    expect(await effects(gone, true)).toEqual([`loses ${lost}`]);
    await expect(service.apply(gone, { isPruning: true })).rejects.toThrow(lost);
    await service.apply(gone, { isPruning: true, allowsDataLoss: true });
  });

  it('end with a reason if an element that a step names is renamed meanwhile', async () => {
    const ask = `{ name: Ask, type: api_call, url: '${receiver.url}/ask' }`;
    const slow = `id: slow, name: Slow, steps: [${ask}, { name: Write, type: update_fields, set: { Note: x } }]`;
    await service.apply(definition(`${close} }, { ${slow}`));
    await api.post(tickets, { ID: 'c' }).expect(201);
    receiver.answer('/ask', async (response) => {
      const fields = '[{ name: Remark, was: Note, type: text }, { name: Note, type: text }]';
      await service.apply(`
workspace: { id: acme }
workflows: [{ id: tickets, name: Tickets, fields: ${fields} }]`);
      response.end();
    });
    const { body } = await api.post(executions, { task_id: 'c', action_id: 'slow' }).set('Prefer', 'wait=20');
    const errors = ['names in the definition have changed: start the action again'];
    expect(body).toMatchObject({ status: 'Fail', errors });
    expect((await api.get(`${tickets}/c`)).body).toMatchObject({ Note: null, Remark: null });
  });
});
