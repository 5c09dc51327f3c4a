import { warnOfNames } from '../../../../src/workflows/definition/check/names-beside-stored.js';
import { mergeDefinitions } from '../../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../../src/workflows/definition/source/read-definition.js';
import { type WorkspaceDefinition } from '../../../../src/workflows/model/definition.js';
import { storedAs, warningsOf as allWarningsOf } from '../checked.js';

const good = `workspace: { id: acme }
users: [{ email: ann@acme.test }, { email: bea@acme.test }, { email: cem@acme.test }]
workflows:
  - id: claims
    name: Claims
    search: true
    stages: [{ name: New }, { name: Review }, { name: Paid, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High], required: true, change: by_actions, default: Low }
      - { name: Sum, type: number, editable: false }
      - { name: Note, type: text }
    actions:
      - { id: pay, name: Pay, stages: [Review], requirements: { conditions: [{ when: 'task["Stage"] == "Review"', message: is new }] }, steps: [{ name: Pay, type: move_to_stage, stage: Paid }] }
      - { id: rate, name: Rate, steps: [{ name: Rate, type: update_fields, set: { Risk: High } }] }
    rules:
      - { id: entered, on: stage_entered, stage: Review, run: rate, when: 'task["Stage"] == "Review" && task["Sum"] > 5' }
      - { id: changed, on: field_changed, field: Risk, to: High, run: rate, when: 'task["Risk"] != "Low"' }
    clocks:
      - { id: review, starts: { stages: [Review] }, budget: 3 days, rungs: [{ at: -2 days }, { at: 50% }] }
`;

const stored = storedAs(good);

/** The warnings about a definition that differs from a good one in this. */
function warningsOf(from: string, to: string): string[] {
  expect(good).toContain(from);
  const warnings = allWarningsOf(good.replace(from, to), { stored });
  return warnings.map((warning) => warning.replace(/^f:\d+: workflows\[0\]\.(\S+): /, '$1 '));
}

describe('settings that are valid each, and together a mistake, are warned of:', () => {
  it.each([
    ['a required field that nobody can give to a new task', ', default: Low', '', 'fields[1].change and required: true let nobody create a task: give it a default, or require it in the actions that need it (required_fields)'],
    ['a budget that says nothing of a value', 'budget: 3 days', 'budget: { field: Risk, of: { High: 3 days } }', 'clocks[0].budget.of leaves out Low, which get no clock: write else: none to confirm it, or a duration such as else: 2 days'],
    ['a budget that says nothing of other texts', 'budget: 3 days', 'budget: { field: Note, of: { x: 3 days } }', 'clocks[0].budget.of leaves out all other values of Note, which get no clock: write else: none to confirm it, or a duration such as else: 2 days'],
  ])('%s', (_, from, to, warning) => {
    expect(warningsOf(from, to)).toEqual([warning]);
  }); // prettier-ignore

  const group = (not: string, users: string): string =>
    `stages: [Review], requirements: { approvals: { of: [{ id: board, count: 2, users: [${users}]${not} }] } }, steps`;
  const pay = /stages: \[Review\], requirements.*?, steps/.exec(good)?.[0] ?? '';

  it('approvals by all approvers, one of whom may be excluded', () => {
    const [two, three] = ['ann@acme.test, bea@acme.test', 'ann@acme.test, bea@acme.test, cem@acme.test'];
    expect(warningsOf(pay, group('', two))).toEqual([]);
    expect(warningsOf(pay, group(', not: [creator]', three))).toEqual([]);
    expect(warningsOf(pay, group(', not: [creator]', two))).toEqual([
      'actions[0].requirements.approvals.of[0].count needs all 2 who may approve, so it cannot be met if one of them is among: creator',
    ]);
  });

  it('none where there is none', () => {
    expect(warningsOf('New }', 'New }')).toEqual([]);
  });
});

describe('a file that names a part of a workflow', () => {
  const file = (workflow: string): WorkspaceDefinition => readDefinition(`workspace: { id: acme }\nworkflows: [${workflow}]\n`, 'f').definition; // prettier-ignore
  const warningsIn = (workflow: string, isPruning = false): string[] =>
    warnOfNames(stored, file(workflow), isPruning).map(({ path, message }) => `${path} ${message}`);

  it.each([
    ['a workflow', '{ id: claim, name: Claims }', 'workflows[0].id is new, beside claims; did you mean claims?'],
    ['a stage', '{ id: claims, name: Claims, stages: [{ name: Reveiw }] }', 'workflows[0].stages[0].name is new, beside Review; did you mean Review?'],
    ['a field', '{ id: claims, name: Claims, fields: [{ name: Notes, type: text }] }', 'workflows[0].fields[0].name is new, beside Note; did you mean Note?'],
    ['an action', '{ id: claims, name: Claims, actions: [{ id: rates, name: Rate }] }', 'workflows[0].actions[0].id is new, beside rate; did you mean rate?'],
  ])('is asked whether a new name is a misspelt one: %s', (_, workflow, warning) => {
    expect(warningsIn(workflow)).toEqual([warning]);
  }); // prettier-ignore

  it.each([
    ['Was', ['workflows[0].fields[0].was claims has no field Was; Aim is added, nothing is renamed']],
    ['note', ['workflows[0].fields[0].was claims has no field note (did you mean Note?); Aim is added, nothing is renamed']],
    ['Note', []],
  ])('is asked whether a former name that there never was is a misspelt one: %s', (was, warnings) => {
    const fields = `[{ name: Aim, was: ${was}, type: text }]`;
    expect(warningsIn(`{ id: claims, name: Claims, fields: ${fields} }`)).toEqual(warnings);
  }); // prettier-ignore

  it('is asked whether a field that goes while one of its type comes was renamed', () => {
    const others = ['ID', 'Risk', 'Sum'].map((name) => `{ name: ${name}, type: number }`).join(', ');
    const claims = (fields: string): string => `{ id: claims, name: Claims, fields: [${fields}] }`;
    const remark = claims(`${others}, { name: Remark, type: text }`);
    const asked = (fate: string): string =>
      `workflows[0].fields[3].name is new, and Note, of type text, ${fate}: if that is its former name, write was: Note`;
    expect(warningsIn(remark)).toEqual([asked('is kept')]);
    expect(warningsIn(remark, true)).toEqual([asked('is removed with its values')]);
    expect(warningsIn(remark.replace('Remark', 'Remark, was: Note'), true)).toEqual([]);
    // Whoever names few of the fields leaves the others out on purpose.
    expect(warningsIn(claims('{ name: Remark, type: text }'))).toEqual([]);
  });

  it('may add an element with a similar name on purpose', () => {
    expect(warningsIn('{ id: claims, name: Claims, stages: [{ name: Review }, { name: Reviews }] }')).toEqual(
      [],
    );
    expect(warningsIn('{ id: claims, name: Claims, stages: [{ name: Reviewed, was: Review }] }')).toEqual([]);
    expect(warningsIn('{ id: claims2, name: Claims }')).toEqual(
      warningsIn('{ id: claims, name: Claims, actions: [] }'),
    );
  });

  it('keeps its search, unless the file ends it or the whole definition is replaced', () => {
    const searchOf = (workflow: string, isPruning = false): unknown =>
      mergeDefinitions(stored, file(workflow), { isPruning }).workflows[0];
    expect(searchOf('{ id: claims, name: Claims }')).toMatchObject({ search: true });
    expect(searchOf('{ id: claims, name: Claims, search: false }')).not.toHaveProperty('search');
    expect(searchOf('{ id: claims, name: Claims }', true)).not.toHaveProperty('search');
  });
});
