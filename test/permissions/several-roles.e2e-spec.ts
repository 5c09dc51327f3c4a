import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { outcome, Person } from './person.js';
import { startServiceWith } from '../support/service.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: ann@acme.test }, { email: ben@acme.test }, { email: cleo@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Note, type: text }]
    roles:
      - { id: engineer, name: Engineer, sees: assigned, actions: [finish], deletes: true, creates: false }
      - { id: board, name: Board, edits: none, creates: true, actions: [approve], moves: by_actions }
      - { id: boss, name: Boss, admin: true }
    members:
      - { email: ann@acme.test, role: [engineer, board] }
      - { email: ben@acme.test, role: [board] }
      - { email: cleo@acme.test, role: [board, boss] }
    actions:
      - { id: finish, name: Finish, steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - { id: approve, name: Approve, steps: [{ name: Note, type: update_fields, set: { Note: approved } }] }
`;

// prettier-ignore??
const { service, api } = await startServiceWith(definition);
const ann = await Person.of(service, 'acme', 'ann@acme.test');
for (const [ID, email] of [
  ['own', 'ann@acme.test'],
  ['other', 'ben@acme.test'],
] as const)
  await api.post('/api/v1/workflows/claims/tasks', { ID, 'Assigned To': email }).expect(201);

describe('a member who holds several roles', () => {
  it('"has the rights of both": sees what either sees, performs what either performs, creates', async () => {
    expect((await ann.list('claims')).tasks.map(({ ID }) => ID)).toEqual(['own', 'other']);
    const start = async (action_id: string, task_id: string): Promise<number> => {
      const sent = { action_id, task_id, performed_by: 'ann@acme.test' };
      return (await api.post('/api/v1/workflows/claims/executions', sent).set('Prefer', 'wait=20')).status;
    };
    expect(await outcome(ann.upsert('claims', { ID: 'made', 'Assigned To': 'ann@acme.test' }))).toBe('done');
    expect([await start('approve', 'other'), await start('approve', 'own')]).not.toContain(422);
    expect(await start('finish', 'made')).not.toBe(422);
    // The engineer finishes, but sees only what is assigned to them.
    expect(await start('finish', 'other')).toBe(422);
  });

  it('a right of a role is for the tasks that this role sees', async () => {
    expect(await outcome(ann.update('claims', { ID: 'own', Note: 'x', Stage: 'Done' }))).toBe('done');
    expect(await outcome(ann.update('claims', { ID: 'other', Note: 'x' }))).toMatch(/^403 /);
    expect(await outcome(ann.delete('claims', 'other'))).toMatch(/^403 /);
    expect(await outcome(ann.delete('claims', 'own'))).toBe('done');
  });

  it('"role_id stays the first, role_ids names all"; who holds one has no more keys than before', async () => {
    const { body } = await api.get('/api/v1/workflows/claims/users').expect(200);
    const id = expect.any(String) as string;
    const names = { first_name: null, last_name: null };
    expect(body).toEqual([
      { id, email: 'ann@acme.test', ...names, role_id: 'engineer', role_ids: ['engineer', 'board'] },
      { id, email: 'ben@acme.test', ...names, role_id: 'board' },
      { id, email: 'cleo@acme.test', ...names, role_id: 'board', role_ids: ['board', 'boss'] },
    ]);
    const { body: workflow } = await api.get('/api/v1/workflows/claims').expect(200);
    expect((workflow as { members: unknown[] }).members).toEqual([
      { email: 'ann@acme.test', role: ['engineer', 'board'] },
      { email: 'ben@acme.test', role: 'board' },
      { email: 'cleo@acme.test', role: ['board', 'boss'] },
    ]);
  });

  it('an administrator among them binds nothing', async () => {
    const cleo = await Person.of(service, 'acme', 'cleo@acme.test');
    expect(await outcome(cleo.update('claims', { ID: 'other', Note: 'by cleo', Stage: 'Done' }))).toBe(
      'done',
    );
  });

  it.each([
    ['role: [engineer, bored]', 'members[0].role[1]: is not a role of workflow claims: bored'],
    ['role: [board, board]', 'members[0].role[1]: is already named'],
    ['role: []', 'members[0].role'],
  ])('a definition is refused that says %s', (role, message) => {
    const wrong = definition.replace('role: [engineer, board]', role);
    return expect(planDefinition(service.dataSource, readDefinition(wrong, 'f.yaml'))).rejects.toThrow(message);
  }); // prettier-ignore
});
