import { type Browser, signIn } from '../support/console.js';
import { awaitEnds } from '../support/ends.js';
import { type Client, startService, type TestService } from '../support/service.js';

// Rule: the console asks in the action's panel for what an action asks for; refusals stand beside the values.
describe('an action that asks for values, on the page', () => {
  let service: TestService;
  let api: Client;
  let mina: Browser;

  beforeAll(async () => {
    service = await startService();
    awaitEnds(service);
    await service.apply(`
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: loans
    name: Loans
    stages: [{ name: New }, { name: Rejected, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Reason, type: text, change: by_actions }
      - { name: Amount, type: currency }
    actions:
      - id: reject
        name: Reject
        fields: [{ field: Reason, required: true }, Amount]
        requirements: { required_fields: [Reason] }
        steps: [{ name: Move, type: move_to_stage, stage: Rejected }]
`);
    api = service.client(await service.key('acme'));
    mina = await signIn(service, 'mina@acme.test');
  });
  afterAll(() => service.stop());

  it('asks, says beside the value what is wrong, keeps what was typed, and does it', async () => {
    const { body } = await api.post('/api/v1/workflows/loans/tasks', { ID: 'L-1', Amount: 5 }).expect(201);
    const path = new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname;
    const page = await mina.get(`${path}?confirm=reject`);
    const dialog = page.html.querySelector('dialog[open]');
    expect(dialog?.querySelector('label')?.textContent).toContain('Reason');
    expect(dialog?.querySelector('[name="given.Amount"]')?.getAttribute('value')).toBe('5.00');
    const refused = await mina.post(`${path}/actions/reject`, { 'given.Reason': '', 'given.Amount': '7' });
    expect(refused.status).toBe(422);
    const again = refused.html.querySelector('dialog[open]');
    expect(again?.querySelector('.fault')?.textContent).toContain('is required');
    expect(again?.querySelector('[name="given.Amount"]')?.getAttribute('value')).toBe('7');
    await mina.post(`${path}/actions/reject`, { 'given.Reason': 'too late', 'given.Amount': '7' });
    const task = await api.get('/api/v1/workflows/loans/tasks/L-1').expect(200);
    expect(task.body).toMatchObject({ Stage: 'Rejected', Reason: 'too late', Amount: '7.00' });
  });
});
