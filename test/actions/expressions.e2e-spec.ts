import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';

const api = '/api/v1/workflows';

/** Claims under policies, and what is paid for them. */
const insurance = (url: string): object => ({
  workspace: { id: 'insurer' },
  workflows: [
    {
      id: 'claims',
      name: 'Claims',
      stages: [{ name: 'Open' }, { name: 'Settled', end: true }],
      fields: [
        { name: 'Claim ID', type: 'uniqueId', required: true },
        { name: 'Phone', type: 'text' },
        { name: 'Notes', type: 'longText' },
        { name: 'Due', type: 'date' },
        { name: 'Settled At', type: 'datetime' },
        { name: 'Days', type: 'number' },
      ],
      actions: [
        {
          id: 'call',
          name: 'Call back',
          requirements: {
            conditions: [
              { when: 'task["Phone"].matches("^\\\\+[0-9 ]{6,20}$")', message: 'Phone is not a number' },
              { when: '!matches(task["Notes"], "(a+)+$")', message: 'Notes end in a' },
            ],
          },
        },
        {
          id: 'settle',
          name: 'Settle',
          requirements: {
            conditions: [{ when: 'task["Due"] >= now().substring(0, 10)', message: 'Is overdue' }],
          },
          steps: [
            {
              name: 'Note',
              type: 'update_fields',
              set: {
                'Settled At': { expression: 'now()' },
                Days: { expression: 'max(0, days_between(today(), task["Due"]))' },
              },
            },
            { name: 'Tell', type: 'api_call', url: `${url}/settled`, body: '{{Settled At}} {{Days}}' },
          ],
        },
      ],
    },
  ],
});

describe('expressions', () => {
  let service: TestService;
  let receiver: Receiver;
  let client: Client;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32' });
    await service.apply(JSON.stringify(insurance(receiver.url)));
    client = service.client(await service.key('insurer'));
  });
  afterAll(async () => {
    await service.stop();
    receiver.stop();
  });

  /** What stands in the way of an action. */
  async function unmet(claim: string, action: string): Promise<unknown> {
    const { body } = await client.get(`${api}/claims/tasks/${claim}/actions?_explain=true`).expect(200);
    return (body as { id: string; unmet: string[] }[]).find(({ id }) => id === action)?.unmet;
  }

  async function perform(claim: string, action: string): Promise<{ status: string; errors?: string[] }> {
    const { body } = await client
      .post(`${api}/claims/executions`, { task_id: claim, action_id: action })
      .set('Prefer', 'wait=20');
    const { status, errors } = body as { status: string; errors?: string[] };
    return { status, ...(errors && { errors }) };
  }

  // Rule: `matches` takes time in proportion to the text, whatever the pattern; where that is too much it says so.
  it('`matches(text, "pattern")` in RE2 syntax', async () => {
    await client
      .post(`${api}/claims/tasks`, { 'Claim ID': 'm', Phone: '+49 30 1234', Notes: 'x' })
      .expect(201);
    expect(await unmet('m', 'call')).toEqual([]);
    await client.put(`${api}/claims/tasks`, {
      'Claim ID': 'm',
      Phone: 'none',
      Notes: `${'a'.repeat(5000)}!`,
    });
    expect(await unmet('m', 'call')).toEqual(['Phone is not a number']);
    await client.put(`${api}/claims/tasks`, { 'Claim ID': 'm', Phone: null, Notes: 'a'.repeat(1_000_000) });
    expect(await unmet('m', 'call')).toEqual([
      'Phone is not a number',
      'Notes end in a (the condition takes too long to evaluate)',
    ]);
  });

  // Rule: `now()` is the moment when the execution began to run, in what it tells others as in what it writes.
  it('`now()` is one moment in all of an execution', async () => {
    await client.post(`${api}/claims/tasks`, { 'Claim ID': 'n', Due: '9999-12-31' }).expect(201);
    receiver.answer('/settled', (response) => setTimeout(() => response.end(), 50));
    expect(await perform('n', 'settle')).toEqual({ status: 'Success' });
    const { body } = await client.get(`${api}/claims/tasks/n`).expect(200);
    const { 'Settled At': at, Days: days } = body as Record<string, string>;
    expect(receiver.of('/settled').map(({ body }) => body)).toEqual([`${at} ${days}`]);
    const listed = await client.get(`${api}/claims/executions?task_id=n&_verbose=true`).expect(200);
    expect(listed.body).toMatchObject([{ started: at }]);
    await client.put(`${api}/claims/tasks`, { 'Claim ID': 'n', Due: '2020-01-01' }).expect(200);
    expect(await perform('n', 'settle')).toEqual({ status: 'Fail', errors: ['Is overdue'] });
  });
});
