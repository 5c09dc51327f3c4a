import { warningsOf as allWarningsOf } from '../checked.js';

const definition = (parts: string): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-fri: ['09:00-17:00'] } }]
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Review }, { name: Held }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Owner, type: person }
      - { name: By, type: text }
      - { name: Risk, type: singleSelect, options: [High, Low] }
    actions:
      - { id: close, name: Close, stages: [Review], steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - { id: take, name: Take, steps: [{ name: Give, type: assign, to: performer }] }
      - { id: sign, name: Sign, steps: [{ name: Sign, type: update_fields, set: { By: { expression: performer } } }] }
      - id: may
        name: May
        steps: [{ name: Note, type: update_fields, set: { By: { expression: 'performer == null ? "nobody" : performer' } } }]
      - id: own
        name: Own
        requirements: { conditions: [{ when: 'task["Assigned To"] == performer', message: Must be yours }] }
        steps: [{ name: Give, type: assign, to: { field: Owner } }]
${parts}
`;

const warningsOf = (text: string): string[] =>
  allWarningsOf(text).map((warning) => warning.replace(/^f:\d+: /, ''));

const at = 'workflows[0].';
const needs = (action: string, what: string): string =>
  `runs ${action}, whose ${what} needs a performer, but nobody performs it: `;
const inStep = 'name a user or { field: … } in that step';
const unoffered = (stages: string, them = 'it'): string =>
  `runs Close in ${stages}, where it is not offered: add ${them} to the stages of the action, or run another here`;

describe('a definition is warned of', () => {
  it.each([
    ['rules: [{ id: r, on: stage_entered, stage: New, run: close }]', [`${at}rules[0].run: ${unoffered('New')}`]],
    [
      'rules: [{ id: r, on: stage_entered, stages: [New, Review, Held], run: close }]',
      [`${at}rules[0].run: ${unoffered('New, Held', 'them')}`],
    ],
    [
      'clocks: [{ id: c, while: { stages: [Review, Held] }, budget: 2 days, rungs: [{ at: 100%, run: close }] }]',
      [`${at}clocks[0].rungs[0].run: ${unoffered('Held')}`],
    ],
    [
      'clocks: [{ id: c, starts: { stages: [New] }, stops: { stages: [Review, Done] }, budget: 2 days, rungs: [{ at: 100%, run: close }] }]',
      [`${at}clocks[0].rungs[0].run: ${unoffered('New, Held', 'them')}`],
    ],
  ])('an action that is started where it is not offered: %s', (parts, expected) => {
    expect(warningsOf(definition(`    ${parts}`))).toEqual(expected);
  }); // prettier-ignore

  it.each([
    ['rules: [{ id: r, on: created, run: take }]', `${at}rules[0].run: ${needs('Take', 'step Give')}write as: <e-mail> here, or ${inStep}`],
    ['rules: [{ id: r, on: created, run: sign }]', `${at}rules[0].run: ${needs('Sign', 'step Sign')}write as: <e-mail> here, or ${inStep}`],
    ['clocks: [{ id: c, while: { stages: [New] }, budget: 2 days, rungs: [{ at: 50%, run: take }] }]', `${at}clocks[0].rungs[0].run: ${needs('Take', 'step Give')}${inStep}`],
    ["schedules: [{ id: s, cron: '0 6 * * *', for: 'Stage=New', run: take }]", `${at}schedules[0].run: ${needs('Take', 'step Give')}${inStep}`],
  ])('an action that needs a performer and has none: %s', (parts, expected) => {
    expect(warningsOf(definition(`    ${parts}`))).toEqual([expected]);
  }); // prettier-ignore

  it('a clock that can start but never stop', () => {
    const endless = definition('    clocks: [{ id: c, starts: { stages: [New] }, budget: 2 days }]');
    expect(warningsOf(endless.replace('{ name: Done, end: true }', '{ name: Done }'))).toEqual([
      `${at}clocks[0].id: can start but never stops, because the workflow has no end stage: name the stages in which it stops (stops) or runs (while)`,
    ]);
    expect(warningsOf(endless)).toEqual([]);
  });

  it('a budget that says nothing of other values', () => {
    const other = 'which get no clock: write else: none to confirm it, or a duration such as else: 2 days';
    const clock = (budget: string): string =>
      definition(`    clocks: [{ id: c, while: { stages: [New] }, budget: ${budget} }]`);
    expect(warningsOf(clock('{ field: Risk, of: { High: 2 days } }'))).toEqual([
      `${at}clocks[0].budget.of: leaves out Low, ${other}`,
    ]);
    expect(warningsOf(clock('{ field: By, of: { x: 2 days } }'))).toEqual([
      `${at}clocks[0].budget.of: leaves out all other values of By, ${other}`,
    ]);
    expect(warningsOf(clock('{ field: By, of: { x: 2 days }, else: none }'))).toEqual([]);
  });

  it.each([
    'rules: [{ id: r, on: stage_entered, stage: Review, run: close }]',
    'rules: [{ id: r, on: stage_left, stage: New, run: close }]',
    'rules: [{ id: r, on: created, run: take, as: mina@acme.test }]',
    'rules: [{ id: r, on: created, run: may }]',
    'clocks: [{ id: c, while: { stages: [Review, Held] }, pauses: { stages: [Held] }, budget: 2 days, rungs: [{ at: 100%, run: close }] }]',
    'clocks: [{ id: c, starts: { stages: [New] }, budget: 2 days, rungs: [{ at: 100%, run: close }] }]',
  ])('nothing where it works: %s', (parts) => {
    expect(warningsOf(definition(`    ${parts}`))).toEqual([]);
  });
});
