import { type Plan } from '../../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { paintFor } from '../../../src/cli/terminal.js';
import { keptLine, refusal, renderPlan } from '../../../src/cli/render-plan.js';

const plan: Plan = {
  workspace: 'acme',
  version: 7,
  kept: [],
  changes: [
    { kind: 'rename', what: 'stage', name: 'things / Old', detail: 'Fresh' },
    { kind: 'remove', what: 'field', name: 'things / A' },
  ],
  effects: [
    { kind: 'loses', what: 'field', name: 'things / A', count: 9, message: '9 tasks hold a value', examples: [{ id: null, value: '\u001b[2J\u009b' }] },
  ],
}; // prettier-ignore

describe('renderPlan', () => {
  it('is aligned, and shows no control character of a value', () => {
    expect(renderPlan(plan, (_, text) => text)).toEqual([
      'workspace acme (version 7)',
      '',
      '  ~ rename  stage  things / Old  to Fresh',
      '  - remove  field  things / A',
      '      ! 9 tasks hold a value',
      '          (no Unique ID) "\\u001b[2J�"',
      '          …',
      '',
      '2 changes: 1 to rename, 1 to remove',
    ]);
  });

  it('marks changes that make something weaker, among them whole additions and removals', () => {
    const changes = [
      { kind: 'add', what: 'member', name: 'things / theo@acme.test', relaxes: true },
      { kind: 'change', what: 'role', name: 'things / boss', detail: 'admin from false to true', alterations: [{ at: 'admin', before: false, after: true, relaxes: true }] },
    ] as const; // prettier-ignore
    expect(renderPlan({ ...plan, changes, effects: [] }, (_, text) => text).slice(2, 5)).toEqual([
      '  + add     member  things / theo@acme.test  ⚠',
      '  ~ change  role    things / boss            admin from false to true',
      '      ⚠ admin  false → true (weaker)',
    ]);
  });

  it('ends with what stays although a list of the file omits it', () => {
    const { definition } = readDefinition(
      '{ workspace: { id: a }, workflows: [{ id: w, members: [] }] }',
      'f',
    );
    const kept = [{ what: 'member', name: 'w / a@b.c' }, { what: 'field', name: 'w / A' }]; // prettier-ignore
    const told = 'kept, although the file does not name it: 1 member; `--prune` removes it';
    expect(keptLine({ ...plan, kept }, definition)).toBe(told);
  });

  it('is coloured only on a terminal', () => {
    const file = { isTTY: false } as NodeJS.WriteStream;
    expect(renderPlan(plan, paintFor(file)).join('')).not.toContain('\u001b');
  });

  it('is refused if data would be lost without permission', () => {
    expect(refusal(plan, false)).toContain('allow the loss with --allow-data-loss');
    expect(refusal(plan, true)).toBeUndefined();
    const blocked = {
      ...plan,
      effects: plan.effects.map((effect) => ({ ...effect, kind: 'blocked' as const })),
    };
    expect(refusal(blocked, true)).toContain('say in the file what to do');
  });
});
