import { jest } from '@jest/globals';
import { RE2JS } from 're2js';
import { compilePattern, PatternError } from '../../../src/common/pattern.js';

// Rule: to compile a pattern takes some milliseconds, or it is refused before that is begun.
describe('a pattern', () => {
  const compile = jest.spyOn(RE2JS, 'compile');
  beforeEach(() => compile.mockClear());
  afterAll(() => {
    compile.mockRestore();
  });

  it('that is far too large is refused without being compiled', () => {
    expect(() => compilePattern('a{1000}'.repeat(6))).toThrow(PatternError);
    expect(compile).not.toHaveBeenCalled();
  });

  it.each([
    'a{1000}b{1000}c{400}',
    '(?:\\pL{1,40} ?){25}',
    `[${'B-\u{1e942}'.repeat(100)}]`,
    '(?i)[à-￿][^ -\u{1F6FF}][A-Z]',
    '(',
    '',
  ])('of another length is judged by its compiled size: %s', (source) => {
    try {
      expect(compilePattern(source).instructions).toBeLessThanOrEqual(2500);
    } catch (error) {
      expect(String(error)).toContain('is not in RE2 syntax');
    }
    expect(compile).toHaveBeenCalled();
  });
});
