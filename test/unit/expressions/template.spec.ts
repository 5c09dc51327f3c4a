import fc from 'fast-check';
import { ExpressionError } from '../../../src/workflows/expressions/expression-error.js';
import { compileTemplate, cutText } from '../../../src/workflows/expressions/template.js';

describe('compileTemplate', () => {
  it('splits a text into its parts', () => {
    const template = compileTemplate('INV-{{ Vendor ID }}-1?key={{secret.API-KEY}}');
    expect(template.parts).toEqual([
      'INV-',
      { name: 'Vendor ID', secret: false },
      '-1?key=',
      { name: 'API-KEY', secret: true },
    ]);
    expect([...template.names]).toEqual(['Vendor ID']);
    expect([...template.secrets]).toEqual(['API-KEY']);
    expect(template.render(({ name }) => `<${name}>`)).toBe('INV-<Vendor ID>-1?key=<API-KEY>');
  });

  it('leaves a text without references as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('{{'));
        expect(compileTemplate(text).render(() => '')).toBe(text);
      }),
    );
  });

  it('does not read a value as a template', () => {
    expect(compileTemplate('{{A}}{{A}}').render(() => '{{A}}')).toBe('{{A}}{{A}}');
  });

  it.each([
    ['a {{Name', 'has a {{ without }}'],
    ['{{A {{B}}', 'has a {{ without }}'],
    ['{{ }}', 'has an empty {{ }}'],
    ['{{secret.A B}}', 'has a secret whose name is not 1 to 100 letters, digits, _ or -: secret.A B'],
  ])('refuses %s', (text, message) => {
    expect(() => compileTemplate(text)).toThrow(new ExpressionError(message));
  });
});

describe('cutText', () => {
  it.each([
    ['a text that fits', ['ab', { value: 'cd' }], ['ab', { value: 'cd' }]],
    ['a text that is cut within a part', ['ab', { value: 'cde' }], ['ab', { value: 'c' }, '…']],
    ['a text that is cut between two parts', ['abcd', { value: 'ef' }], ['abc', '…']],
    ['a text that is cut within a character', ['ab\u{1F600}c'], ['ab', '…']],
  ])('%s', (_, text, cut) => {
    expect(cutText(text, 4)).toEqual(cut);
  });
});
