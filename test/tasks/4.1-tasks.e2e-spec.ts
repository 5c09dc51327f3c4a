import { blankThing, everyType, workflowOf } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const id = 'name: ID, type: uniqueId, required: true';
const settings = [
  'name: ID, type: uniqueId, autoincrement: true',
  'name: Must, type: text, required: true',
  'name: Once, type: multipleSelect, options: [A, B], editable: false',
  'name: Given, type: number, default: 1.50',
  'name: Both, type: text, required: true, default: x',
  'name: Ticked, type: checkbox, required: true, default: true',
];

const { service, api } = await startServiceWith([everyType, workflowOf(settings, 'asking')]);
const asking = service.client(await service.key('asking'));
const noUser = { 'Assigned To': ['is not a user of this workspace'] };

describe('4.1 tasks', () => {
  it('POST creates a task, 201, and returns Stage, Assigned To, Task URL, its fields and its relationships', async () => {
    const answer = await api.post(tasks, { ID: '1' }).expect(201);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const { Stage, 'Assigned To': assigned, ...rest } = blankThing;
    const url = expect.stringMatching(/^http:\/\/localhost:3000\/workflows\/things\/tasks\/[\w-]{12}$/);
    const expected = { Stage, 'Assigned To': assigned, 'Task URL': url, ...rest };
    expect(Object.entries(JSON.parse(answer.text) as object)).toEqual(Object.entries(expected));
  });

  it.each(['post', 'put'] as const)(
    '%s updates the task that has the Unique ID, 200, by a partial body with Stage and Assigned To',
    async (send) => {
      await api.post(tasks, { ID: send, Text: 'one', Number: 1 }).expect(201);
      const sent = { ID: send, Number: 2, Stage: 'Done', 'Assigned To': 'MINA@acme.test' };
      const { body } = await api[send](tasks, sent).expect(200);
      const changed = { Number: '2', Stage: 'Done', 'Assigned To': 'Mina@acme.test' };
      expect(body).toMatchObject({ ID: send, Text: 'one', ...changed });
    },
  );

  it('every problem of a payload is in one 422, and nothing of the payload is written', async () => {
    const wrong = { Day: '01/02/2026', Nope: 1, Stage: 'Limbo', 'Assigned To': 'who@acme.test' };
    const errors = {
      Day: ['is not a date in YYYY-MM-DD format'],
      Nope: ['is not a field of this workflow'],
      Stage: ['is not a stage of this workflow: Limbo; it has: New, In Review, Done'],
      ...noUser,
    };
    await api.post(tasks, wrong).expect(422, { errors: { ID: ['is required'], ...errors } });
    await api.put(tasks, { ID: 'nobody', ...wrong }).expect(422, { errors });
    await api.post(tasks, { ID: 'whole', Text: 'kept' }).expect(201);
    await api.post(tasks, { ID: 'whole', Text: 'lost', ...wrong }).expect(422, { errors });
    expect(await api.read(`${tasks}/whole`)).toMatchObject({ Text: 'kept', Day: null });
  });

  it('PUT answers 404 and creates nothing when no task has that id', async () => {
    await api.put(tasks, { ID: 'nobody', Text: 'x' }).expect(404);
    await api.get(`${tasks}/nobody`).expect(404);
  });

  it('GET and DELETE find Unique IDs with any character, percent-decoded once', async () => {
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

  it('2.1 shows each value as its type does; the answer of a GET can be sent back, without effect', async () => {
    // The full table of a type stands beside its code.
    const sent = {
      Text: 'a\tb "c" \\ 🦊',
      'Long Text': 'b\nc',
      Number: '-12.500',
      Price: 10000,
      Phone: '+1 555 0100',
      Day: '2024-02-29',
      Moment: '2026-11-21T23:30:00.5-02:00',
      Owner: 'MINA@ACME.TEST',
      Tier: 'Gold',
      Regions: ['APAC', 'EMEA'],
      'Open?': 'true',
      'E-mail': 'a@b.example',
      Website: 'https://example.test/x',
    };
    const shown = {
      ...sent,
      Number: '-12.5',
      Price: '10000.00',
      Moment: '2026-11-22T01:30:00.500Z',
      Owner: 'Mina@acme.test',
      Regions: ['EMEA', 'APAC'],
      'Open?': true,
    };
    expect(await api.send(tasks, { ID: 'round', ...sent })).toMatchObject(shown);
    const { body, text, headers } = await api.get(`${tasks}/round`).expect(200);
    expect(body).toMatchObject(shown);
    for (const send of ['put', 'post'] as const) {
      const again = await api[send](tasks, text).expect(200);
      expect([again.text, again.headers['etag']]).toEqual([text, headers['etag']]);
    }
    const blank = { Text: null, Regions: [], Price: null };
    expect(await api.send(tasks, { ID: 'round', ...blank })).toMatchObject(blank);
  });

  it('accepts a stored value that the current definition would refuse', async () => {
    const sent = { ID: 'old', Owner: 'theo@acme.test', 'Assigned To': 'theo@acme.test' };
    await api.post(tasks, sent).expect(201);
    await service.apply(everyType.replace('last_name: Voss }', 'last_name: Voss, active: false }'));
    const { text } = await api.get(`${tasks}/old`).expect(200);
    expect((await api.put(tasks, text).expect(200)).text).toBe(text);
    expect(await api.refusal(tasks, { ...sent, ID: 'new', Owner: null })).toEqual(noUser);
    await service.apply(everyType);
  });

  it('without a Unique ID field each POST creates a task, and no task can be addressed', async () => {
    const unnamed = await service.clientOf(workflowOf(['name: Text, type: text, required: true'], 'unnamed'));
    for (const Text of ['same', 'same']) await unnamed.post(tasks, { Text }).expect(201);
    expect(await unnamed.read(tasks)).toHaveLength(2);
    const refused = { errors: { base: ['This workflow has no Unique ID field'] } };
    await unnamed.get(`${tasks}/1`).expect(422, refused);
    await unnamed.delete(`${tasks}/1`).expect(422, refused);
    await unnamed.put(tasks, { Text: 'x' }).expect(422, refused);
  });
});

describe('what a definition requires of a field', () => {
  it('autoincrement: the next number, and the numbers after a given number', async () => {
    const sent = [{}, { ID: 41 }, { ID: null }, { ID: 'X-1' }, { ID: '2' }, {}];
    for (const [at, ID] of ['1', '41', '42', 'X-1', '2', '43'].entries())
      expect(await asking.send(tasks, { Must: 'a', ...sent[at] })).toMatchObject({ ID });
  });

  it('required: at creation, and if an update would blank the field', async () => {
    const required = { errors: { Must: ['is required'] } };
    for (const sent of [{}, { Must: '' }]) await asking.post(tasks, sent).expect(422, required);
    await asking.post(tasks, { ID: 'r', Must: 'a' }).expect(201);
    for (const send of ['put', 'post'] as const)
      await asking[send](tasks, { ID: 'r', Must: null }).expect(422, required);
    expect(await asking.send(tasks, { ID: 'r' })).toMatchObject({ Must: 'a' });
  });

  it('editable: false: set at creation and kept from then on', async () => {
    const frozen = { errors: { Once: ['cannot be changed after creation'] } };
    await asking.post(tasks, { ID: 'e', Must: 'a', Once: ['A', 'B'] }).expect(201);
    await asking.put(tasks, { ID: 'e', Once: ['B', 'A'] }).expect(200);
    for (const Once of [['A'], []]) await asking.put(tasks, { ID: 'e', Once }).expect(422, frozen);
    await asking.post(tasks, { ID: 'e', Must: 'b', Once: ['A'] }).expect(422, frozen);
  });

  it('default: if a creation omits the field, but not for null', async () => {
    const blank = { Given: null, Ticked: false };
    const given = { Given: '1.5', Both: 'x', Ticked: true };
    expect(await asking.send(tasks, { ID: 'd', Must: 'a' })).toMatchObject(given);
    expect(await asking.send(tasks, { ID: 'd', ...blank })).toMatchObject(blank);
    expect(await asking.send(tasks, { ID: 'd', Must: 'a' })).toMatchObject(blank);
    expect(await asking.send(tasks, { Must: 'a', Given: null, Ticked: null })).toMatchObject(blank);
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
