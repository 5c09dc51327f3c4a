import { planDefinition } from '../../src/definitions/plan-definition.js';
import { readDefinition } from '../../src/definitions/source/read-definition.js';
import { type Answer, answerWith } from '../support/receiver.js';
import {
  actionsTo,
  close,
  definition,
  failed,
  open,
  perform,
  read,
  receiver,
  service,
  success,
} from './calling.js';

describe('an api_call that says set: what the JSON answer makes of the task', () => {
  beforeAll(open);
  afterAll(close);

  const answer = { score: 3.25, flags: ['B', 'A'], by: { name: 'Bureau' }, more: null };

  it('"writes from the JSON answer, by the rules of update_fields", and later steps see it', async () => {
    receiver.answer('/scored', answerWith(200, answer));
    expect(await perform('score', 'scored')).toEqual(success);
    expect(await read('scored')).toMatchObject({
      Amount: '6.50',
      Count: '2',
      Tags: ['A', 'B'],
      Note: 'a b: Bureau',
      Open: true,
      Title: 'a b: Bureau',
    });
    expect(receiver.of('/scored')).toHaveLength(1);
  });

  it('"a task in the answer is ignored", and every digit of a number is kept', async () => {
    const body = '{"score":1234567890123456.11,"flags":[],"by":{"name":"x"},"task":{"Fixed":"other","Stage":"Done"}}';
    receiver.answer('/ignored', answerWith(200, body));
    expect(await perform('score', 'ignored')).toEqual(success);
    expect(await read('ignored')).toMatchObject({ Amount: '2469135780246912.22', Stage: 'New', Fixed: 'f' });
  }); // prettier-ignore

  it.each<[string, Answer, RegExp]>([
    ['absent', answerWith(200, { ...answer, score: undefined }), /^Tell: .*No such key: score/],
    ['text', answerWith(200, { ...answer, score: 'many' }), /^Tell: /],
    ['mapping', answerWith(200, { ...answer, flags: { A: 1 } }), /^Tell: its result is neither a text, a number, a boolean nor a list$/],
    ['option', answerWith(200, { ...answer, flags: ['C'] }), /^Tell: Tags is not one of: A, B$/],
    ['page', answerWith(200, '<html>', { 'content-type': 'text/html' }), /^Tell: /],
    ['twice', answerWith(200, '{"score":1,"score":2}'), /^Tell: its answer is not JSON that the service accepts$/],
    ['large', answerWith(200, { ...answer, more: 'x'.repeat(70_000) }), /^Tell: it is larger than 65536 bytes$/],
  ])('"what does not evaluate fails the step", and nothing changes: %s', async (ID, answered, reason) => {
    receiver.answer(`/${ID}`, answered);
    const { status, errors = [] } = await perform('score', ID);
    expect([status, errors.length]).toEqual(['Fail', 1]);
    expect(errors[0]).toMatch(reason);
    expect(await read(ID)).toMatchObject({ Title: 'a b', Amount: '10.50', Note: null, Tags: [] });
    expect(receiver.of(`/${ID}`)).toHaveLength(1);
  }); // prettier-ignore

  it('with on_failure: continue the action goes on without it', async () => {
    receiver.answer('/lenient', answerWith(200, {}));
    receiver.answer('/refusing', answerWith(400, { score: 1 }));
    for (const ID of ['lenient', 'refusing']) {
      expect(await perform('scored', ID)).toEqual(success);
      expect(await read(ID)).toMatchObject({ Amount: '10.50', Note: 'went on' });
    }
  });

  it('an answer that is not JSON is null to it', async () => {
    receiver.answer('/silence', answerWith(204));
    receiver.answer('/words', answerWith(200, '"words"'));
    expect(await perform('whole', 'silence')).toEqual(success);
    expect(await perform('whole', 'words')).toEqual(success);
    expect([(await read('silence'))['Note'], (await read('words'))['Note']]).toEqual([
      'nothing',
      'something',
    ]);
    receiver.answer('/failing', answerWith(500));
    expect(await perform('whole', 'failing')).toEqual(failed('was answered with status 500'));
  });

  it.each([
    [{ Colour: { expression: 'body["c"]' } }, 'is not a field of workflow cases: Colour'],
    [{ Stage: { expression: 'body["s"]' } }, 'is set by a step of type move_to_stage'],
    [{ Fixed: { expression: 'body["f"]' } }, 'is a field with editable: false'],
    [{ Files: 'x' }, 'is a file field, which a step cannot set'],
    [{ Note: { expression: 'answer["x"]' } }, 'is not an expression'],
    [{ Note: { expression: 'task["Nope"] + body["x"]' } }, 'reads an unknown field of workflow cases: Nope'],
  ])('a definition is refused that sets %j', (set, message) => {
    const wrong = definition({ ...actionsTo(receiver.url), wrong: [{ url: 'https://a.test', set }] });
    return expect(planDefinition(service.dataSource, readDefinition(wrong, 'f.json'))).rejects.toThrow(message);
  }); // prettier-ignore

  it('body is for the answer alone: update_fields does not know it', () => {
    const set = { Note: { expression: 'body["x"]' } };
    const wrong = definition({ ...actionsTo(receiver.url), wrong: [{ type: 'update_fields', set }] });
    return expect(planDefinition(service.dataSource, readDefinition(wrong, 'f.json'))).rejects.toThrow('is not an expression');
  }); // prettier-ignore
});
