import fc from 'fast-check';
import { readJson } from '../read-json.js';
import { writeJson } from '../json.js';

const limits = { depth: 100, keys: 1000 };
const read = (text: string) => readJson(Buffer.from(text), limits);

describe('JSON that is written', () => {
  it('is what was read', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(writeJson(read(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps every digit, the order of keys and names that objects know', () => {
    const text =
      '{"b":12345678901234567890.10,"a":[1e400,-0.0,null,true,"\\u0000\\ud800"],"__proto__":{"2":1,"1":2}}';
    expect(writeJson(read(text))).toBe(text);
  });
});
