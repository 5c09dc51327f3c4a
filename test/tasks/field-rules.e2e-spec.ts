import { startServiceWith } from '../support/service.js';

const things = '/api/v1/workflows/things';
const tasks = `${things}/tasks`;

const ruled = [
  '{ name: ID, type: uniqueId, required: true, pattern: "^[A-Z]", max_length: 8 }',
  '{ name: Amount, type: number, min: 10, max: 99.50 }',
  '{ name: Price, type: currency, min: 0.01, default: 1 }',
  '{ name: Day, type: date, min: 2026-01-01 }',
  '{ name: Starts, type: datetime, max: "2026-12-31T23:59:59Z" }',
  '{ name: Code, type: text, pattern: "^[A-Z]{2}-[0-9]{2}$" }',
  '{ name: Notes, type: longText, max_length: 20 }',
];
const withoutRules = ruled.map((field) => field.replace(/, (min|max|pattern|max_length): .*$/, ' }'));
const id = '{ name: ID, type: uniqueId, required: true }';
const amount = '{ name: Amount, type: number }';
const definition = (workspace: string, fields: readonly string[] = ruled): string => `
workspace: { id: ${workspace} }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done }]
    fields: [${fields.join(', ')}]
    actions:
      - { id: raise, name: Raise, steps: [{ name: Raise, type: update_fields, set: { Amount: { expression: 'task["Amount"] + 50' } } }, { name: Move, type: move_to_stage, stage: Done }] }
`;

const { service, api } = await startServiceWith(definition('acme'));

describe('4 a removed option', () => {
  it('stays while other values are added or removed, and cannot be given to a task without it', async () => {
    const picks = (options: string): string =>
      definition('picks', [id, amount, `{ name: Picks, type: multipleSelect, options: [${options}] }`, `{ name: One, type: singleSelect, options: [${options}] }`]); // prettier-ignore
    const client = await service.clientOf(picks('a, b, c, d'));
    await client.post(tasks, { ID: '1', Picks: ['a', 'b', 'c'], One: 'a' }).expect(201);
    await client.post(tasks, { ID: '2', Picks: ['c'] }).expect(201);
    await service.apply(picks('c, d'));
    for (const Picks of [
      ['a', 'b', 'c', 'd'],
      ['a', 'd'],
    ]) {
      // prettier-ignore
      const { body } = await client.put(tasks, { ID: '1', Picks, One: 'a', Amount: 1 }).expect(200);
      expect((body as { Picks: string[] }).Picks.toSorted()).toEqual(Picks);
      expect(await client.read(`${tasks}/1`)).toEqual(body);
    }
    const refused = ['is not one of: c, d'];
    for (const [name, sent] of [
      ['Picks', { ID: '1', Picks: ['a', 'b', 'd'] }],
      ['Picks', { ID: '1', Picks: ['a', 'x'] }],
      ['Picks', { ID: '2', Picks: ['a', 'c'] }],
      ['Picks', { ID: '3', Picks: ['a'] }],
      ['One', { ID: '1', One: 'b' }],
    ] as const)
      expect(await client.refusal(tasks, sent)).toEqual({ [name]: refused });
  });
});

describe('fields with min, max, pattern or max_length', () => {
  it('"refusals are field errors", all of them at once', async () => {
    const broken = { ID: 'x1', Amount: 9.99, Price: 0, Day: '2025-12-31', Starts: '2027-01-01T00:00:00Z' };
    expect(await api.refusal(tasks, { ...broken, Code: 'ab-12', Notes: 'x'.repeat(21), Nope: 1 })).toEqual({
      ID: ['does not match the pattern ^[A-Z]'],
      Amount: ['must be at least 10'],
      Price: ['must be at least 0.01'],
      Day: ['must not be before 2026-01-01'],
      Starts: ['must not be after 2026-12-31T23:59:59Z'],
      Code: ['does not match the pattern ^[A-Z]{2}-[0-9]{2}$'],
      Notes: ['is longer than 20 characters'],
      Nope: [expect.stringContaining('is not a field of this workflow')],
    });
    const kept = { Amount: '99.5', Price: '1.00', Day: '2026-01-01', Code: 'AB-12', Notes: null };
    const sent = { ID: 'A1', ...kept, Price: undefined, Amount: 99.5, Notes: '' };
    expect(await api.send(tasks, sent)).toMatchObject(kept);
    const over = { errors: { Amount: ['must be at most 99.50'] } };
    await api.put(tasks, { ID: 'A1', Amount: '99.51' }).expect(422, over);
  });

  it('"steps that set fields must meet them as well": the execution fails, and nothing is kept', async () => {
    await api.post(tasks, { ID: 'S1', Amount: 60 }).expect(201);
    const start = { action_id: 'raise', task_id: 'S1' };
    const { body } = await api.post(`${things}/executions`, start).set('Prefer', 'wait=20');
    const said = expect.stringContaining('Amount must be at most 99.50') as string;
    expect(body).toMatchObject({ status: 'Fail', errors: [said] });
    expect(await api.read(`${tasks}/S1`)).toMatchObject({ Stage: 'New', Amount: '60' });
  });

  it('"what about stored values when a rule is added": they stay until they are changed', async () => {
    const old = { ID: 'old-number-1', Amount: 5, Price: 0, Day: '1999-01-01', Code: 'free', Notes: 'y'.repeat(30) }; // prettier-ignore
    const grown = await service.clientOf(definition('grown', withoutRules));
    await grown.post(tasks, old).expect(201);
    await service.apply(definition('grown'));
    const { text } = await grown.get(`${tasks}/old-number-1`).expect(200);
    expect((await grown.put(tasks, text).expect(200)).text).toBe(text);
    await grown.put(tasks, { ...old, Amount: '5.0' }).expect(200);
    const refused = await grown.refusal(tasks, { ...old, Amount: 6, Code: 'freer' });
    expect(Object.keys(refused as object)).toEqual(['Amount', 'Code']);
    await grown.put(tasks, { ID: 'old-number-1', Amount: 20 }).expect(200);
    await grown.put(tasks, { ID: 'old-number-1', Amount: 5 }).expect(422);
  });

  it('rules are shown in the definition, digit by digit', async () => {
    expect(await api.read(`${things}/fields`)).toMatchObject([
      { pattern: '^[A-Z]', max_length: 8 },
      { min: '10', max: '99.50' },
      { min: '0.01' },
      { min: '2026-01-01' },
      { max: '2026-12-31T23:59:59Z' },
      { pattern: '^[A-Z]{2}-[0-9]{2}$' },
      { max_length: 20 },
    ]);
  });
});
