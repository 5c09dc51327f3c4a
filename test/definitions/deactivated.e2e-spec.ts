import { startServiceWith } from '../support/service.js';

const tickets = '/api/v1/workflows/tickets/tasks';
const definition = (active: boolean): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test, active: ${active} }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Open }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Note, type: text }]
    roles: [{ id: clerk, name: Clerk, actions: [close] }]
    members: [{ email: theo@acme.test, role: clerk }]
    actions:
      - { id: close, name: Close, steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - { id: note, name: Note it, start: by_rules, steps: [{ name: Note, type: update_fields, set: { Note: noted } }] }
    rules:
      - { id: one, on: commented, run: close, as: Theo@acme.test }
      - { id: two, on: commented, run: note, as: theo@acme.test }
    schedules: [{ id: daily, cron: '0 7 * * *', create: { ID: '{{date}}', Assigned To: theo@acme.test } }]
`;

const { service, api } = await startServiceWith(definition(true));

// Rule: who is deactivated performs nothing, and the runs say so.
describe('a performer who is deactivated', () => {
  it('is named by runs as deactivated', async () => {
    for (const [ID, Stage] of [
      ['a', 'Done'],
      ['b', 'Open'],
    ])
      // prettier-ignore
      await api.post(tickets, { ID, Stage, 'Assigned To': 'theo@acme.test' }).expect(201);
    await service.apply(definition(false));
    await api.post(`${tickets}/b/comments`, { body: 'Look' }).expect(201);
    await service.settle();
    const { body } = await api.get(`${tickets}/b/runs`).expect(200);
    const runs = body as readonly { readonly by: { readonly kind: string }; readonly because: string }[];
    expect(runs.map(({ by, because }) => `${by.kind}: ${because}`).toSorted()).toEqual([
      'rule: theo@acme.test is deactivated',
      'rule: theo@acme.test is deactivated',
    ]);
  });
});
