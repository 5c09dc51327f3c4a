import {
  english,
  hinted,
  joined,
  keptText,
  type Message,
  messageOfText,
  ofField,
  say,
} from '../../../src/common/message.js';

describe('a message', () => {
  it('has a code and arguments, and becomes an English sentence', () => {
    expect(say`is longer than ${10} characters`).toEqual({
      code: 'is longer than {0} characters',
      args: [10],
    });
    const all: readonly (readonly [Message, string])[] = [
      ['is required', 'is required'],
      ['has {0} in it', 'has {0} in it'],
      [say`is one of ${'{1}'} and ${'$&'}`, 'is one of {1} and $&'],
      [ofField('Amount', 'is {0}'), 'Amount is {0}'],
      [hinted('is strange', ''), 'is strange'],
      [hinted(say`is ${1}`, '; did you mean 2?'), 'is 1; did you mean 2?'],
      [joined(['one', ofField('two', say`is ${3}`)], '; '), 'one; two is 3'],
    ];
    for (const [message, sentence] of all) expect(english(message)).toBe(sentence);
  });

  it('is read back from its stored text', () => {
    for (const message of ['is required', '{"code": 1}', say`is ${1}`, ofField('a', say`is ${'b'}`)])
      expect(messageOfText(keptText(message))).toEqual(message);
    expect([keptText('is required'), messageOfText('is required')]).toEqual(['is required', 'is required']);
  });
});
