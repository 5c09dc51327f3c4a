import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';

// Rule: `when` of a step: where it is false the step's outcome is `Skipped`, `because: when` (steps that were not reached:
// `because: not reached`); where it raises, the step fails.
describe('steps with `when`', () => {
  const cases = '/api/v1/workflows/cases/tasks';
  const executions = '/api/v1/workflows/cases/executions';
  let service: TestService;
  let api: Client;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32' });
    await service.apply(`
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Amount, type: number }
      - { name: Note, type: text }
    actions:
      - id: close
        name: Close
        steps:
          - { name: Note it, type: update_fields, set: { Note: large, Amount: { expression: 'task["Amount"] - 1000' } }, when: 'task["Amount"] > 1000' }
          - { name: Tell, type: api_call, url: '${receiver.url}/{{ID}}', when: 'task["Amount"] > 500' }
          - { name: Move, type: move_to_stage, stage: Done }
      - id: divide
        name: Divide
        steps:
          - { name: Never, type: update_fields, set: { Note: never }, when: 'task["Amount"] < 0' }
          - { name: Divide, type: update_fields, set: { Note: divided }, when: '1 / task["Amount"] > 1' }
          - { name: Move, type: move_to_stage, stage: Done }
`);
    api = service.client(await service.key('acme'));
  });
  afterAll(async () => {
    await service.stop();
    receiver.stop();
  });

  async function perform(action_id: string, ID: string, Amount: number): Promise<object> {
    await api.post(cases, { ID, Amount }).expect(201);
    const { body } = await api.post(executions, { task_id: ID, action_id }).set('Prefer', 'wait=20');
    return (await api.get(`${executions}/${(body as { id: string }).id}?_verbose=true`).expect(200))
      .body as object;
  }

  const left = { status: 'Skipped', because: 'when' };
  const done = { status: 'Success' };

  it.each([
    [5, [left, left, done], { Note: null, Amount: '5' }, 0],
    [600, [left, done, done], { Note: null, Amount: '600' }, 1],
    // Judged by the task as the steps before it have made it.
    [1200, [done, left, done], { Note: 'large', Amount: '200' }, 0],
    [9000, [done, done, done], { Note: 'large', Amount: '8000' }, 1],
  ])('a step is left out where it is not true: %d', async (amount, steps, task, called) => {
    expect(await perform('close', `c${amount}`, amount)).toMatchObject({ status: 'Success', steps });
    expect((await api.get(`${cases}/c${amount}`).expect(200)).body).toMatchObject({ ...task, Stage: 'Done' });
    expect(receiver.of(`/c${amount}`)).toHaveLength(called);
  });

  it('one that raises fails the action, and those behind it are not reached', async () => {
    expect(await perform('divide', 'd', 0)).toMatchObject({
      status: 'Fail',
      errors: ['Divide: division by zero'],
      steps: [left, { status: 'Fail' }, { status: 'Skipped', because: 'not reached' }],
    });
  });

  it('what cannot be true or false is refused with its place', async () => {
    const wrong = (when: string): Promise<void> =>
      service.apply(`
workspace: { id: other, name: Other }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }]
    fields: [{ name: Note, type: text }]
    actions: [{ id: x, name: X, steps: [{ name: A, type: assign, to: nobody, when: '${when}' }] }]
`);
    await expect(wrong('task["Nose"] == null')).rejects.toThrow(
      'reads an unknown field of workflow cases: Nose; did you mean Note?',
    );
    await expect(wrong('task["Note"]')).rejects.toThrow('uses Note, a text, as true or false');
  });
});
