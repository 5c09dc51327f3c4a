import { blankThing, everyType, workflowOf } from '../support/definitions.js';
import { type Client, startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service, api } = await startServiceWith(everyType);

describe('4.1 tasks', () => {
  describe('POST has upsert semantics', () => {
    it('creates a task, 201, and returns it with all its fields and its initial stage', async () => {
      const answer = await api.post(tasks, { ID: '1' }).expect(201);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      const { 'Task URL': url, ...rest } = answer.body as Record<string, unknown>;
      expect(rest).toEqual(blankThing);
      expect(url).toMatch(/^http:\/\/localhost:3000\/workflows\/things\/tasks\/[\w-]{12}$/);
    });

    it('keeps the order of keys: Stage, Assigned To, Task URL, fields, relationships', async () => {
      const { text } = await api.post(tasks, { ID: 'order' }).expect(201);
      const { Stage, 'Assigned To': assigned, ...rest } = blankThing;
      expect(Object.keys(JSON.parse(text) as object)).toEqual(
        Object.keys({ Stage, 'Assigned To': assigned, 'Task URL': '', ...rest }),
      );
    });

    it('updates the task that has the Unique ID, 200, and keeps the keys that the body does not name', async () => {
      await api.post(tasks, { ID: 'up', Text: 'one', Number: 1 }).expect(201);
      const { body } = await api.post(tasks, { ID: 'up', Number: 2 }).expect(200);
      expect(body).toMatchObject({ ID: 'up', Text: 'one', Number: '2' });
    });

    it('answers 422 with every problem of the payload at once', async () => {
      const { body } = await api
        .post(tasks, {
          Day: '01/02/2026',
          Tier: 'Bronze',
          Nope: 1,
          Stage: 'Limbo',
          'Assigned To': 'who@acme.test',
        })
        .expect(422);
      expect(body).toEqual({
        errors: {
          ID: ['is required'],
          Day: ['is not a date in YYYY-MM-DD format'],
          Tier: ['is not one of: Gold, Silver'],
          Nope: ['is not a field of this workflow'],
          Stage: ['is not a stage of this workflow; it has: New, In Review, Done'],
          'Assigned To': ['is not a user of this workspace'],
        },
      });
    });

    it('writes nothing of a payload that it refuses', async () => {
      await api.post(tasks, { ID: 'whole', Text: 'kept' }).expect(201);
      await api.post(tasks, { ID: 'whole', Text: 'lost', Day: 'soon' }).expect(422);
      expect((await api.get(`${tasks}/whole`)).body).toMatchObject({ Text: 'kept', Day: null });
    });
  });

  // What is sent, and what every later read shows; the full table of a type stands beside its code.
  it.each<[string, string, unknown, unknown]>([
    ['text', 'Text', 'a\tb "c" \\ 🦊', 'a\tb "c" \\ 🦊'],
    ['a number, serialized as a string', 'Number', '-12.500', '-12.5'],
    ['an amount, with its decimals', 'Price', 10000, '10000.00'],
    ['a date', 'Day', '2024-02-29', '2024-02-29'],
    ['an instant, in UTC', 'Moment', '2026-11-21T23:30:00.5-02:00', '2026-11-22T01:30:00.500Z'],
    ['a person, in any case', 'Owner', 'MINA@ACME.TEST', 'Mina@acme.test'],
    ['options, in the order of the definition', 'Regions', ['APAC', 'EMEA'], ['EMEA', 'APAC']],
    ['a boolean sent as a string', 'Open?', 'true', true],
    ['null, which blanks', 'Text', null, null],
    ['an empty array, which blanks', 'Regions', [], []],
  ])('2.1 %s', async (_, name, sent, shown) => {
    await api.post(tasks, { ID: 'field', [name]: sent }).expect((answer) => {
      expect(answer.body).toMatchObject({ ID: 'field', [name]: shown });
    });
    expect((await api.get(`${tasks}/field`).expect(200)).body).toMatchObject({ [name]: shown });
  });

  describe('PUT has update semantics', () => {
    it('updates by a partial body, Stage and Assigned To included', async () => {
      await api.post(tasks, { ID: 'put', Text: 'one' }).expect(201);
      const { body } = await api
        .put(tasks, { ID: 'put', Stage: 'Done', 'Assigned To': 'MINA@acme.test' })
        .expect(200);
      expect(body).toMatchObject({ Stage: 'Done', 'Assigned To': 'Mina@acme.test', Text: 'one' });
    });

    it('answers 404 and creates nothing when no task has that id', async () => {
      await api.put(tasks, { ID: 'nobody', Text: 'x' }).expect(404);
      await api.get(`${tasks}/nobody`).expect(404);
    });

    it('looks at the payload before it looks for the task', async () => {
      const { body } = await api.put(tasks, { ID: 'nobody', Day: 'x' }).expect(422);
      expect(body).toEqual({ errors: { Day: ['is not a date in YYYY-MM-DD format'] } });
    });

    it('needs the Unique ID in the body', async () => {
      const { body } = await api.put(tasks, { Text: 'x' }).expect(422);
      expect(body).toEqual({ errors: { ID: ['is required'] } });
    });
  });

  describe('GET and DELETE of one task', () => {
    it('finds unique ids with any character, percent-decoded once', async () => {
      const ids = ['A/B', 'a%2Fb', 'what?', 'x#y', '100%', 'a b', '...', '🦊', 'é', '+', ';x'];
      for (const id of [...ids, 'x'.repeat(255)]) {
        const path = `${tasks}/${encodeURIComponent(id)}`;
        await api.post(tasks, { ID: id }).expect(201);
        expect((await api.get(path).expect(200)).body).toMatchObject({ ID: id });
        await api.delete(path).expect(204);
        await api.get(path).expect(404);
      }
    });

    it('refuses ids that no client could address', async () => {
      for (const id of ['active', '.', '..', ' a', 'a ', '', 'x'.repeat(256), 'a\nb', '\ud800'])
        expect((await api.post(tasks, { ID: id }).expect(422)).body).toEqual({
          errors: { ID: [expect.any(String)] },
        });
    });

    it('deletes for good, and a second time answers 404', async () => {
      await api.post(tasks, { ID: 'gone' }).expect(201);
      const { text } = await api.delete(`${tasks}/gone`).expect(204);
      expect(text).toBe('');
      await api.delete(`${tasks}/gone`).expect(404);
    });
  });

  describe('the round-trip law', () => {
    it('accepts the body of a GET by PUT and POST, and makes no new version', async () => {
      const full = {
        ID: 'round',
        Text: 'a',
        'Long Text': 'b\nc',
        Number: '1.5',
        Price: '3',
        Phone: '+1 555 0100',
        Day: '2026-02-03',
        Moment: '2026-02-03T04:05:06+01:00',
        Owner: 'theo@acme.test',
        Tier: 'Gold',
        Regions: ['APAC', 'EMEA'],
        'Open?': true,
        'E-mail': 'a@b.example',
        Website: 'https://example.test/x',
      };
      await api.post(tasks, full).expect(201);
      const before = await versionOf('round');
      const { text } = await api.get(`${tasks}/round`).expect(200);
      expect((await api.put(tasks, text).expect(200)).text).toBe(text);
      expect((await api.post(tasks, text).expect(200)).text).toBe(text);
      expect(await versionOf('round')).toBe(before);
    });

    it('accepts a stored value that the definition of today would refuse', async () => {
      await api
        .post(tasks, { ID: 'old', Owner: 'theo@acme.test', 'Assigned To': 'theo@acme.test' })
        .expect(201);
      await service.apply(everyType.replace('last_name: Voss }', 'last_name: Voss, active: false }'));
      const { text } = await api.get(`${tasks}/old`).expect(200);
      expect((await api.put(tasks, text).expect(200)).text).toBe(text);
      const { body } = await api.put(tasks, { ID: 'round', 'Assigned To': 'theo@acme.test' }).expect(422);
      expect(body).toEqual({ errors: { 'Assigned To': ['is not a user of this workspace'] } });
      await service.apply(everyType);
    });

    async function versionOf(id: string): Promise<number> {
      const [row] = await service.dataSource.query<{ version: number }[]>(
        'SELECT version FROM tasks WHERE unique_value = $1',
        [id],
      );
      return row?.version ?? 0;
    }
  });

  it('lists hold every task in the order of creation, /active those in no end stage', async () => {
    const listed = await service.clientOf(everyType.replaceAll('acme', 'listed'));
    await listed.post(tasks, { ID: 'b', Stage: 'Done' }).expect(201);
    await listed.post(tasks, { ID: 'a' }).expect(201);
    const idsOf = async (path: string): Promise<unknown[]> =>
      ((await listed.get(path).expect(200)).body as { ID: unknown }[]).map(({ ID }) => ID);
    expect([await idsOf(tasks), await idsOf(`${tasks}/active`)]).toEqual([['b', 'a'], ['a']]);
  });

  describe('a workflow without a Unique ID field', () => {
    const base = { errors: { base: ['This workflow has no Unique ID field'] } };
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(workflowOf(['name: Text, type: text, required: true'], 'unnamed'));
    });

    it('creates a task with each POST', async () => {
      await api.post(tasks, { Text: 'same' }).expect(201);
      await api.post(tasks, { Text: 'same' }).expect(201);
      expect((await api.get(tasks)).body).toHaveLength(2);
    });

    it('cannot address one', async () => {
      expect((await api.get(`${tasks}/1`).expect(422)).body).toEqual(base);
      expect((await api.delete(`${tasks}/1`).expect(422)).body).toEqual(base);
      expect((await api.put(tasks, { Text: 'x' }).expect(422)).body).toEqual(base);
    });
  });

  describe('what a definition asks of a field', () => {
    let api: Client;

    beforeAll(async () => {
      const fields = [
        'name: ID, type: uniqueId, autoincrement: true',
        'name: Must, type: text, required: true',
        'name: Once, type: multipleSelect, options: [A, B], editable: false',
        'name: Given, type: number, default: 1.50',
        'name: Both, type: text, required: true, default: x',
        'name: Ticked, type: checkbox, required: true, default: true',
      ];
      api = await service.clientOf(workflowOf(fields, 'asking'));
    });

    it('autoincrement: the next number, and on from a number that was given', async () => {
      expect((await api.post(tasks, { Must: 'a' }).expect(201)).body).toMatchObject({ ID: '1' });
      expect((await api.post(tasks, { ID: 41, Must: 'a' }).expect(201)).body).toMatchObject({ ID: '41' });
      expect((await api.post(tasks, { Must: 'a', ID: null }).expect(201)).body).toMatchObject({ ID: '42' });
      expect((await api.post(tasks, { ID: 'X-1', Must: 'a' }).expect(201)).body).toMatchObject({ ID: 'X-1' });
      expect((await api.post(tasks, { ID: '2', Must: 'a' }).expect(201)).body).toMatchObject({ ID: '2' });
      expect((await api.post(tasks, { Must: 'a' }).expect(201)).body).toMatchObject({ ID: '43' });
    });

    it('required: at creation, and when an update would blank it', async () => {
      const required = { errors: { Must: ['is required'] } };
      expect((await api.post(tasks, {}).expect(422)).body).toEqual(required);
      expect((await api.post(tasks, { Must: '' }).expect(422)).body).toEqual(required);
      await api.post(tasks, { ID: 'r', Must: 'a' }).expect(201);
      expect((await api.put(tasks, { ID: 'r', Must: null }).expect(422)).body).toEqual(required);
      expect((await api.post(tasks, { ID: 'r', Must: null }).expect(422)).body).toEqual(required);
      expect((await api.post(tasks, { ID: 'r' }).expect(200)).body).toMatchObject({ Must: 'a' });
    });

    it('editable: false, settable at creation and kept from then on', async () => {
      const frozen = { errors: { Once: ['cannot be changed after creation'] } };
      await api.post(tasks, { ID: 'e', Must: 'a', Once: ['A', 'B'] }).expect(201);
      await api.put(tasks, { ID: 'e', Once: ['B', 'A'] }).expect(200);
      expect((await api.put(tasks, { ID: 'e', Once: ['A'] }).expect(422)).body).toEqual(frozen);
      expect((await api.put(tasks, { ID: 'e', Once: [] }).expect(422)).body).toEqual(frozen);
      expect((await api.post(tasks, { ID: 'e', Must: 'b', Once: ['A'] }).expect(422)).body).toEqual(frozen);
    });

    it('default: where a creation is silent, but not where it says null', async () => {
      expect((await api.post(tasks, { ID: 'd', Must: 'a' }).expect(201)).body).toMatchObject({
        Given: '1.5',
        Both: 'x',
        Ticked: true,
      });
      await api.put(tasks, { ID: 'd', Given: null, Ticked: false }).expect(200);
      expect((await api.post(tasks, { ID: 'd', Must: 'a' }).expect(200)).body).toMatchObject({
        Given: null,
        Ticked: false,
      });
      expect(
        (await api.post(tasks, { ID: 'n', Must: 'a', Given: null, Ticked: null }).expect(201)).body,
      ).toMatchObject({
        Given: null,
        Ticked: false,
      });
      expect((await api.post(tasks, { Must: 'a', Both: null }).expect(422)).body).toEqual({
        errors: { Both: ['is required'] },
      });
    });

    it('a field that became required later may stay blank until it is filled', async () => {
      const later = await service.clientOf(
        workflowOf(['name: ID, type: uniqueId, required: true', 'name: A, type: text'], 'later'),
      );
      await later.post(tasks, { ID: '1' }).expect(201);
      await service.apply(
        workflowOf(
          ['name: ID, type: uniqueId, required: true', 'name: A, type: text, required: true'],
          'later',
        ),
      );
      await later.put(tasks, { ID: '1', A: null }).expect(200);
      await later.put(tasks, { ID: '1', Stage: 'Done' }).expect(200);
      await later.put(tasks, { ID: '1', A: 'x' }).expect(200);
      await later.put(tasks, { ID: '1', A: null }).expect(422);
    });
  });
});
