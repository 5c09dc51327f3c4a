import { blankThing, everyType, workflowOf } from '../support/definitions.js';
import { type Client, startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const id = 'name: ID, type: uniqueId, required: true';

const { service, api } = await startServiceWith(everyType);

describe('4.1 tasks', () => {
  describe('POST has upsert semantics', () => {
    it('creates a task, 201, and returns Stage, Assigned To, Task URL, its fields and its relationships', async () => {
      const answer = await api.post(tasks, { ID: '1' }).expect(201);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      const { Stage, 'Assigned To': assigned, ...rest } = blankThing;
      const url = expect.stringMatching(/^http:\/\/localhost:3000\/workflows\/things\/tasks\/[\w-]{12}$/);
      const expected = { Stage, 'Assigned To': assigned, 'Task URL': url, ...rest };
      expect(Object.entries(JSON.parse(answer.text) as object)).toEqual(Object.entries(expected));
    });

    it('updates the task that has the Unique ID, 200, and keeps the keys that the body does not name', async () => {
      await api.post(tasks, { ID: 'up', Text: 'one', Number: 1 }).expect(201);
      const { body } = await api.post(tasks, { ID: 'up', Number: 2 }).expect(200);
      expect(body).toMatchObject({ ID: 'up', Text: 'one', Number: '2' });
    });

    it('answers 422 with every problem of the payload at once, and writes nothing of it', async () => {
      const wrong = {
        Day: '01/02/2026',
        Tier: 'Bronze',
        Nope: 1,
        Stage: 'Limbo',
        'Assigned To': 'who@acme.test',
      };
      const errors = {
        Day: ['is not a date in YYYY-MM-DD format'],
        Tier: ['is not one of: Gold, Silver'],
        Nope: ['is not a field of this workflow'],
        Stage: ['is not a stage of this workflow; it has: New, In Review, Done'],
        'Assigned To': ['is not a user of this workspace'],
      };
      expect(await api.refusal(tasks, wrong)).toEqual({ ID: ['is required'], ...errors });
      await api.post(tasks, { ID: 'whole', Text: 'kept' }).expect(201);
      expect(await api.refusal(tasks, { ID: 'whole', Text: 'lost', ...wrong })).toEqual(errors);
      expect(await api.read(`${tasks}/whole`)).toMatchObject({ Text: 'kept', Day: null });
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
    expect(await api.send(tasks, { ID: 'field', [name]: sent })).toMatchObject({
      ID: 'field',
      [name]: shown,
    });
    expect(await api.read(`${tasks}/field`)).toMatchObject({ [name]: shown });
  });

  describe('PUT has update semantics', () => {
    it('updates by a partial body, Stage and Assigned To included', async () => {
      await api.post(tasks, { ID: 'put', Text: 'one' }).expect(201);
      const sent = { ID: 'put', Stage: 'Done', 'Assigned To': 'MINA@acme.test' };
      const { body } = await api.put(tasks, sent).expect(200);
      expect(body).toMatchObject({ Stage: 'Done', 'Assigned To': 'Mina@acme.test', Text: 'one' });
    });

    it('answers 404 and creates nothing when no task has that id, 422 when the payload is wrong', async () => {
      await api.put(tasks, { ID: 'nobody', Text: 'x' }).expect(404);
      await api.get(`${tasks}/nobody`).expect(404);
      const errors = { Day: ['is not a date in YYYY-MM-DD format'] };
      await api.put(tasks, { ID: 'nobody', Day: 'x' }).expect(422, { errors });
      await api.put(tasks, { Text: 'x' }).expect(422, { errors: { ID: ['is required'] } });
    });
  });

  it('GET and DELETE find unique ids with any character, percent-decoded once; what is deleted is gone', async () => {
    const ids = ['A/B', 'a%2Fb', 'what?', 'x#y', '100%', 'a b', '...', '🦊', 'é', '+', ';x', 'x'.repeat(255)];
    for (const ID of ids) {
      const path = `${tasks}/${encodeURIComponent(ID)}`;
      await api.post(tasks, { ID }).expect(201);
      expect(await api.read(path)).toMatchObject({ ID });
      expect((await api.delete(path).expect(204)).text).toBe('');
      await api.get(path).expect(404);
      await api.delete(path).expect(404);
    }
  });

  it.each(['active', '.', '..', ' a', 'a ', '', 'x'.repeat(256), 'a\nb', '\ud800'])(
    'refuses an id that no client could address: %j',
    async (ID) => {
      expect(await api.refusal(tasks, { ID })).toEqual({ ID: [expect.any(String)] });
    },
  );

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
      const { text, headers } = await api.get(`${tasks}/round`).expect(200);
      for (const send of ['put', 'post'] as const) {
        const again = await api[send](tasks, text).expect(200);
        expect([again.text, again.headers['etag']]).toEqual([text, headers['etag']]);
      }
    });

    it('accepts a stored value that the definition of today would refuse', async () => {
      const sent = { ID: 'old', Owner: 'theo@acme.test', 'Assigned To': 'theo@acme.test' };
      await api.post(tasks, sent).expect(201);
      await service.apply(everyType.replace('last_name: Voss }', 'last_name: Voss, active: false }'));
      const { text } = await api.get(`${tasks}/old`).expect(200);
      expect((await api.put(tasks, text).expect(200)).text).toBe(text);
      expect(await api.refusal(tasks, { ID: 'round', 'Assigned To': 'theo@acme.test' })).toEqual({
        'Assigned To': ['is not a user of this workspace'],
      });
      await service.apply(everyType);
    });
  });

  it('lists hold every task in the order of creation, /active those in no end stage', async () => {
    const listed = await service.clientOf(everyType.replaceAll('acme', 'listed'));
    await listed.post(tasks, { ID: 'b', Stage: 'Done' }).expect(201);
    await listed.post(tasks, { ID: 'a' }).expect(201);
    expect(await listed.read(tasks)).toMatchObject([{ ID: 'b' }, { ID: 'a' }]);
    expect(await listed.read(`${tasks}/active`)).toMatchObject([{ ID: 'a' }]);
  });

  it('of a workflow without a Unique ID field each POST creates one, and none can be addressed', async () => {
    const unnamed = await service.clientOf(workflowOf(['name: Text, type: text, required: true'], 'unnamed'));
    for (const Text of ['same', 'same']) await unnamed.post(tasks, { Text }).expect(201);
    expect(await unnamed.read(tasks)).toHaveLength(2);
    const refused = { errors: { base: ['This workflow has no Unique ID field'] } };
    await unnamed.get(`${tasks}/1`).expect(422, refused);
    await unnamed.delete(`${tasks}/1`).expect(422, refused);
    await unnamed.put(tasks, { Text: 'x' }).expect(422, refused);
  });

  describe('what a definition asks of a field', () => {
    let asking: Client;

    beforeAll(async () => {
      const fields = [
        'name: ID, type: uniqueId, autoincrement: true',
        'name: Must, type: text, required: true',
        'name: Once, type: multipleSelect, options: [A, B], editable: false',
        'name: Given, type: number, default: 1.50',
        'name: Both, type: text, required: true, default: x',
        'name: Ticked, type: checkbox, required: true, default: true',
      ];
      asking = await service.clientOf(workflowOf(fields, 'asking'));
    });

    it('autoincrement: the next number, and on from a number that was given', async () => {
      const sent = [{}, { ID: 41 }, { ID: null }, { ID: 'X-1' }, { ID: '2' }, {}];
      for (const [at, ID] of ['1', '41', '42', 'X-1', '2', '43'].entries()) {
        const { body } = await asking.post(tasks, { Must: 'a', ...sent[at] }).expect(201);
        expect(body).toMatchObject({ ID });
      }
    });

    it('required: at creation, and when an update would blank it', async () => {
      const required = { errors: { Must: ['is required'] } };
      await asking.post(tasks, {}).expect(422, required);
      await asking.post(tasks, { Must: '' }).expect(422, required);
      await asking.post(tasks, { ID: 'r', Must: 'a' }).expect(201);
      await asking.put(tasks, { ID: 'r', Must: null }).expect(422, required);
      await asking.post(tasks, { ID: 'r', Must: null }).expect(422, required);
      expect((await asking.post(tasks, { ID: 'r' }).expect(200)).body).toMatchObject({ Must: 'a' });
    });

    it('editable: false, settable at creation and kept from then on', async () => {
      const frozen = { errors: { Once: ['cannot be changed after creation'] } };
      await asking.post(tasks, { ID: 'e', Must: 'a', Once: ['A', 'B'] }).expect(201);
      await asking.put(tasks, { ID: 'e', Once: ['B', 'A'] }).expect(200);
      for (const Once of [['A'], []]) await asking.put(tasks, { ID: 'e', Once }).expect(422, frozen);
      await asking.post(tasks, { ID: 'e', Must: 'b', Once: ['A'] }).expect(422, frozen);
    });

    it('default: where a creation is silent, but not where it says null', async () => {
      const blank = { Given: null, Ticked: false };
      const { body } = await asking.post(tasks, { ID: 'd', Must: 'a' }).expect(201);
      expect(body).toMatchObject({ Given: '1.5', Both: 'x', Ticked: true });
      await asking.put(tasks, { ID: 'd', ...blank }).expect(200);
      expect((await asking.post(tasks, { ID: 'd', Must: 'a' }).expect(200)).body).toMatchObject(blank);
      const silent = await asking.post(tasks, { Must: 'a', Given: null, Ticked: null }).expect(201);
      expect(silent.body).toMatchObject(blank);
      expect(await asking.refusal(tasks, { Must: 'a', Both: null })).toEqual({ Both: ['is required'] });
    });

    it('a field that became required later may stay blank until it is filled', async () => {
      const later = await service.clientOf(workflowOf([id, 'name: A, type: text'], 'later'));
      await later.post(tasks, { ID: '1' }).expect(201);
      await service.apply(workflowOf([id, 'name: A, type: text, required: true'], 'later'));
      for (const change of [{ A: null }, { Stage: 'Done' }, { A: 'x' }])
        await later.put(tasks, { ID: '1', ...change }).expect(200);
      await later.put(tasks, { ID: '1', A: null }).expect(422);
    });
  });
});
