import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { exportDefinition, renderYaml } from '../../src/workflows/definition/source/write-yaml.js';
import { kinds } from '../../src/workflows/definition/kinds.js';
import { storedDefinition } from '../../src/workflows/model/stored-definition.js';
import { loadDefinitionRows } from '../../src/workflows/definition/store/load-rows.js';
import { type Client, startService, type TestService } from '../support/service.js';

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
const definition = (workspace: string, fields: readonly string[] = ruled, steps = ''): string => `
workspace: { id: ${workspace} }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done }]
    fields:
${fields.map((field) => `      - ${field}`).join('\n')}
    actions:
      - { id: raise, name: Raise, steps: [{ name: Raise, type: update_fields, set: { Amount: { expression: 'task["Amount"] + 50' } } }, { name: Move, type: move_to_stage, stage: Done }${steps}] }
`;
const withoutRules = ruled.map((field) => field.replace(/, (min|max|pattern|max_length): .*$/, ' }'));

describe('4 an option that was removed', () => {
  let service: TestService;
  let api: Client;

  const picks = (options: string): string =>
    definition('picks', ['{ name: ID, type: uniqueId, required: true }', `{ name: Picks, type: multipleSelect, options: [${options}] }`, `{ name: One, type: singleSelect, options: [${options}] }`, '{ name: Amount, type: number }']); // prettier-ignore
  beforeAll(async () => {
    service = await startService();
    api = await service.clientOf(picks('a, b, c, d'));
    await api.post(tasks, { ID: '1', Picks: ['a', 'b', 'c'], One: 'a' }).expect(201);
    await api.post(tasks, { ID: '2', Picks: ['c'] }).expect(201);
    await service.apply(picks('c, d'));
  });
  afterAll(() => service.stop());

  it.each<[string, string[]]>([
    ['stays while a valid one is added', ['a', 'b', 'c', 'd']],
    ['stays while others are taken away, removed ones too', ['a', 'd']],
  ])('%s', async (_, Picks) => {
    const { body } = await api.put(tasks, { ID: '1', Picks, One: 'a', Amount: 1 }).expect(200);
    expect((body as { Picks: string[] }).Picks.toSorted()).toEqual(Picks);
    expect((await api.get(`${tasks}/1`)).body).toEqual(body);
  });

  it.each([
    ['1', { Picks: ['a', 'b', 'd'] }],
    ['1', { Picks: ['a', 'x'] }],
    ['1', { One: 'b' }],
    ['2', { Picks: ['a', 'c'] }],
    ['3', { Picks: ['a'] }],
  ])('cannot be given to a task that does not have it: %s %j', async (ID, sent) => {
    const { body } = await api.post(tasks, { ID, ...sent }).expect(422);
    expect(body).toEqual({ errors: { [Object.keys(sent)[0] ?? '']: ['is not one of: c, d'] } });
  });
});

describe('fields that say min, max, pattern or max_length', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition('acme'));
  });
  afterAll(() => service.stop());

  const clientOf = async (workspace: string): Promise<Client> => service.client(await service.key(workspace));
  const broken = { Amount: 9.99, Price: 0, Day: '2025-12-31', Starts: '2027-01-01T00:00:00Z', Code: 'ab-12', Notes: 'x'.repeat(21) }; // prettier-ignore

  it('"refusals are field errors", all of them at once', async () => {
    const api = await clientOf('acme');
    const { body } = await api.post(tasks, { ID: 'x1', ...broken, Nope: 1 }).expect(422);
    expect(body).toMatchObject({
      errors: {
        ID: ['does not match the pattern ^[A-Z]'],
        Amount: ['must be at least 10'],
        Price: ['must be at least 0.01'],
        Day: ['must not be before 2026-01-01'],
        Starts: ['must not be after 2026-12-31T23:59:59Z'],
        Code: ['does not match the pattern ^[A-Z]{2}-[0-9]{2}$'],
        Notes: ['is longer than 20 characters'],
        Nope: [expect.stringContaining('is not a field of this workflow')],
      },
    });
    const kept = { Amount: '99.5', Price: '1.00', Day: '2026-01-01', Code: 'AB-12', Notes: null };
    const created = await api.post(tasks, { ID: 'A1', ...kept, Amount: 99.5, Notes: '' }).expect(201);
    expect(created.body).toMatchObject(kept);
    expect((await api.put(tasks, { ID: 'A1', Amount: '99.51' }).expect(422)).body).toEqual({
      errors: { Amount: ['must be at most 99.50'] },
    });
  });

  it('"filters are not bounded by them"', async () => {
    const api = await clientOf('acme');
    await api.get(`${tasks}?Amount=5&Code=ab&Notes=${'x'.repeat(30)}`).expect(200, []);
    await api.get(`${tasks}?Day%5Blt%5D=1999-01-01`).expect(200, []);
  });

  it('"steps that set fields must meet them as well": the execution fails, and nothing of it is kept', async () => {
    const api = await clientOf('acme');
    await api.post(tasks, { ID: 'S1', Amount: 60 }).expect(201);
    const { body } = await api
      .post(`${things}/executions`, { action_id: 'raise', task_id: 'S1' })
      .set('Prefer', 'wait=20');
    expect(body).toMatchObject({ status: 'Fail', errors: [expect.stringContaining('Amount must be at most 99.50')] }); // prettier-ignore
    expect((await api.get(`${tasks}/S1`)).body).toMatchObject({ Stage: 'New', Amount: '60' });
  });

  describe('"what about stored values when a rule is added"', () => {
    const old = {
      ID: 'old-number-1',
      Amount: 5,
      Price: 0,
      Day: '1999-01-01',
      Code: 'free',
      Notes: 'y'.repeat(30),
    };

    beforeAll(async () => {
      await service.apply(definition('grown', withoutRules));
      await (await clientOf('grown')).post(tasks, old).expect(201);
    });

    it('"the plan counts the tasks whose value does not meet the new rule"; nothing is lost', async () => {
      const source = readDefinition(definition('grown'), 'file.yaml');
      const { effects } = await planDefinition(service.dataSource, source);
      expect(effects.map(({ kind, name, message }) => `${kind} ${name}: ${message}`)).toEqual(
        ['ID', 'Amount', 'Price', 'Day', 'Code', 'Notes'].map(
          (name) => `notes things / ${name}: 1 value breaks its rules, and stays`,
        ),
      );
      expect(effects[1]?.examples).toEqual([
        { id: 'old-number-1', value: '5', reason: 'must be at least 10' },
      ]);
    });

    it('"such values stay readable, and may be sent back until they are changed", by PUT and in a batch', async () => {
      await service.apply(definition('grown'));
      const api = await clientOf('grown');
      const { text } = await api.get(`${tasks}/old-number-1`).expect(200);
      expect((await api.put(tasks, text).expect(200)).text).toBe(text);
      await api.put(tasks, { ...old, Amount: '5.0', Notes: old.Notes }).expect(200);
      const { body } = await api.put(tasks, { ...old, Amount: 6, Code: 'freer' }).expect(422);
      expect(Object.keys((body as { errors: object }).errors)).toEqual(['Amount', 'Code']);
      await api.put(tasks, { ID: 'old-number-1', Amount: 20 }).expect(200);
      await api.put(tasks, { ID: 'old-number-1', Amount: 5 }).expect(422);
      await api.put(tasks, { ID: 'old-number-2' }).expect(422);
    });

    it('a change of the type keeps what fits the type, and tells of what breaks the rules', async () => {
      const count = ['{ name: ID, type: uniqueId, required: true }', '{ name: Count, type: text }'];
      await service.apply(definition('retyped', [...count, '{ name: Amount, type: number }']));
      await (await clientOf('retyped')).post(tasks, { ID: '1', Count: '7' }).expect(201);
      const typed = definition('retyped', ['{ name: Count, type: number, min: 10 }']);
      const { effects } = await planDefinition(service.dataSource, readDefinition(typed, 'file.yaml'));
      expect(effects.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
        'notes 1 value fits the type number, and stays',
        'notes 1 value breaks its rules, and stays',
      ]);
      await service.apply(typed);
      expect((await (await clientOf('retyped')).get(`${tasks}/1`)).body).toMatchObject({ Count: '7' });
    });
  });

  it.each([
    ['"defaults must meet the rules"', '{ name: Size, type: number, min: 2, default: 1 }', 'default: must be at least 2'],
    ['a rule of another type', '{ name: Size, type: text, min: 2 }', 'min: is only for number, currency, date and datetime'],
  ])('a definition is refused for %s', async (_, field, message) => {
    await expect(service.apply(definition('acme', [...ruled, field]))).rejects.toThrow(message);
  }); // prettier-ignore

  it('show in the definition, digit by digit', async () => {
    const api = await clientOf('acme');
    const { body: fields } = await api.get(`${things}/fields`).expect(200);
    expect(fields).toMatchObject([
      { pattern: '^[A-Z]', max_length: 8 },
      { min: '10', max: '99.50' },
      { min: '0.01' },
      { min: '2026-01-01' },
      { max: '2026-12-31T23:59:59Z' },
      { pattern: '^[A-Z]{2}-[0-9]{2}$' },
      { max_length: 20 },
    ]);
  });

  it('are exported as they were written', async () => {
    const { id } = await service.dataSource.manager.query('SELECT id FROM workspaces WHERE slug = $1', ['acme']).then(([row]: { id: number }[]) => row ?? { id: 0 }); // prettier-ignore
    const rows = await loadDefinitionRows(service.dataSource.manager, id);
    const yaml = rows ? renderYaml(exportDefinition(storedDefinition(rows, kinds))) : '';
    expect(yaml).toContain("{ name: Amount, type: number, min: '10', max: '99.50' }");
    const again = await planDefinition(service.dataSource, readDefinition(yaml, 'export.yaml'));
    expect(again.changes).toEqual([]);
  });
});
