import { readingDefinition } from '../../../../src/workflows/definition/source/read-definition.js';
import { faultsOf, storedAs } from '../checked.js';

const head = 'workspace: { id: acme }\n';
const times = (count: number, line: (at: number) => string): string => Array.from({ length: count }, (_, at) => line(at)).join(''); // prettier-ignore
const workflows = (count: number, rest = ', stages: [{ name: New }]', from = 0): string => head + 'workflows:\n' + times(count, (at) => `  - { id: w${from + at}, name: W${from + at}${rest} }\n`); // prettier-ignore

describe('a definition is read and checked within bounds', () => {
  it.each([
    ['of its YAML', head + 'users:\n' + '  - !tag\n'.repeat(300)],
    ['of its form', head + times(300, (at) => `key${at}: 1\n`)],
    ['of its meaning', workflows(300, '')],
  ])('and no further than 200 faults %s', (_, text) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)).toBe('has more than 200 faults; the others are not listed');
  });

  it('with at most 500 workflows, by one file or by several', () => {
    const tooMany = ['f:2: workflows: has more than 500 entries'];
    expect(faultsOf(workflows(500))).toEqual([]);
    expect(faultsOf(workflows(501))).toEqual(tooMany);
    expect(faultsOf(workflows(1, undefined, 500), { stored: storedAs(workflows(500)) })).toEqual(tooMany);
  });

  it('in pieces, and other work runs in between', () => {
    const pieces = [...readingDefinition(workflows(400), 'f')];
    expect(pieces.length).toBeGreaterThan(3);
  });
});
