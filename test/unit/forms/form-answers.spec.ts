import { type JsonObject } from '../../../packages/exact-json/json.js';
import { readAnswers } from '../../../src/actions/asks/form-answers.js';

const file = (text: string): JsonObject =>
  new Map([
    ['filename', 'a.txt'],
    ['contentType', 'text/plain'],
    ['base64contents', Buffer.from(text).toString('base64')],
  ]);

describe('the answers to a form', () => {
  it('lets others have a turn before each file', async () => {
    let turns = 0;
    const pause = (): undefined => {
      turns += 1;
    };
    const files = new Map([['Contract', [file('one'), file('two')]]]);
    const { payload, errors } = await readAnswers(
      [{ field: 'Contract' }],
      { values: new Map(), files },
      pause,
    );
    expect([turns, errors.fields]).toEqual([2, []]);
    expect(payload.get('Contract')).toEqual([file('one'), file('two')]);
  });
});
