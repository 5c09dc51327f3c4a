import { mergeDefinitions } from '../../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../../src/workflows/definition/source/read-definition.js';
import { checkDefinition } from '../../../../src/workflows/definition/check/check-definition.js';
import { diffDefinitions, renderChange } from '../../../../src/workflows/definition/merge/diff.js';

const all = `
workspace: { id: acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test, active: false }, { email: ines@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Old }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Text, type: text }]
    checklist: [{ title: Look, stage: Old }, { title: Look, stage: Done }]
    roles: [{ id: admin, name: Admin, admin: true }, { id: agent, name: Agent, actions: [go] }]
    members: [{ email: mina@acme.test, role: admin }, { email: ines@acme.test, role: agent }]
    actions: [{ id: go, name: Go }, { id: halt, name: Halt }]
  - { id: others, name: Others, stages: [{ name: Open }], fields: [{ name: ID, type: uniqueId, required: true }] }
relationships:
  - { id: others, kind: one_to_many, from: { workflow: things, name: Others }, to: { workflow: others, name: Thing } }
`;
const stored = mergeDefinitions(undefined, readDefinition(all, 'f').definition);

function changesOf(text: string, isPruning: boolean): string[] {
  const source = readDefinition(`workspace: { id: acme }\n${text}`, 'f');
  const merged = mergeDefinitions(stored, source.definition, { isPruning });
  checkDefinition(merged, source);
  return diffDefinitions(stored, merged).map(renderChange);
}

describe('what a file does not name', () => {
  const small = `
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    checklist: [{ title: Look, stage: Done }]
    roles: [{ id: admin, name: Admin, admin: true }]
    members: [{ email: mina@acme.test, role: admin }]
    actions: [{ id: go, name: Go }]
`;

  it('stays', () => {
    expect(changesOf(small, false)).toEqual([]);
  });

  it('goes with --prune; users are deactivated, never deleted', () => {
    expect(changesOf(small, true)).toEqual([
      'change user ines@acme.test (active from true to false)',
      'remove stage things / Old',
      'remove field things / Text',
      'remove checklist item things / Old / Look',
      'remove role things / agent',
      'remove member things / ines@acme.test',
      'remove action things / halt',
      'remove workflow others',
      'remove relationship others',
    ]);
  });
});

describe('a stage that is said to be removed', () => {
  const removing = (stages: string): string =>
    `workflows: [{ id: things, name: Things, stages: [${stages}] }]`;

  it('goes with its template items, and may be named again when it is gone', () => {
    const text = removing('{ name: Old, removed: true, move_tasks_to: Done }');
    expect(changesOf(text, false)).toEqual([
      'remove stage things / Old',
      'remove checklist item things / Old / Look',
    ]);
    const gone = readDefinition(`workspace: { id: acme }\n${text}`, 'f').definition;
    const after = mergeDefinitions(stored, gone);
    expect(diffDefinitions(after, mergeDefinitions(after, gone))).toEqual([]);
  });

  it('must send its tasks to a stage that stays, and say nothing else', () => {
    const faults = [
      ['{ name: Old, removed: true, move_tasks_to: Nowhere }', 'move_tasks_to: is not a stage of workflow things: Nowhere'],
      ['{ name: Old, removed: true, move_tasks_to: Old }', 'move_tasks_to: is not a stage of workflow things: Old'],
      ['{ name: Old, removed: true }, { name: Old }', 'name: is the name of another stage'],
      ['{ name: Old, move_tasks_to: Done }', 'removed: is required if move_tasks_to is given'],
      ['{ name: Old, removed: true, end: true }', 'end: is not allowed with removed: true'],
      ['{ name: Old, removed: false }', 'removed: must be true'],
    ]; // prettier-ignore
    for (const [stages = '', fault = ''] of faults) {
      expect(() => changesOf(removing(stages), false)).toThrow(fault);
    }
  });
});
