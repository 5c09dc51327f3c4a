import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { startServiceWith } from '../support/service.js';
import { personOf } from './person.js';

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

const claims = '/api/v1/workflows/claims/tasks';

const { service, api } = await startServiceWith(definition);
const ann = await personOf(service, 'ann@acme.test');
for (const [ID, name] of Object.entries({ own: 'ann', other: 'ben' }))
  await api.post(claims, { ID, 'Assigned To': `${name}@acme.test` }).expect(201);

describe('a member with several roles', () => {
  it('"has the rights of both": sees what either sees, performs what either performs, creates', async () => {
    expect((await ann.read<{ ID: string }[]>(claims)).map(({ ID }) => ID)).toEqual(['own', 'other']);
    await ann.post(claims, { ID: 'made', 'Assigned To': 'ann@acme.test' }).expect(201);
    const start = async (action_id: string, task_id: string): Promise<number> =>
      (await ann.post('/api/v1/workflows/claims/executions', { action_id, task_id })).status;
    expect([await start('approve', 'other'), await start('approve', 'own')]).toEqual([202, 202]);
    expect(await start('finish', 'made')).toBe(202);
    // The engineer finishes, but sees only what is assigned to them.
    expect(await start('finish', 'other')).toBe(422);
  });

  it('a right of a role applies to the tasks that this role sees', async () => {
    await ann.put(claims, { ID: 'own', Note: 'x', Stage: 'Done' }).expect(200);
    await ann.put(claims, { ID: 'other', Note: 'x' }).expect(403);
    await ann.delete(`${claims}/other`).expect(403);
    await ann.delete(`${claims}/own`).expect(204);
  });

  it('"role_id stays the first, role_ids names all"; a member with one role has the former keys', async () => {
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

  it('is not restricted if one of the roles is administrator', async () => {
    const cleo = await personOf(service, 'cleo@acme.test');
    await cleo.put(claims, { ID: 'other', Note: 'by cleo', Stage: 'Done' }).expect(200);
  });

  it.each([
    ['role: [engineer, bored]', 'members[0].role[1]: is not a role of workflow claims: bored'],
    ['role: [board, board]', 'members[0].role[1]: is already named'],
    ['role: []', 'members[0].role'],
  ])('a definition is refused if it has %s', (role, message) => {
    const wrong = definition.replace('role: [engineer, board]', role);
    return expect(planDefinition(service.dataSource, readDefinition(wrong, 'f.yaml'))).rejects.toThrow(message);
  }); // prettier-ignore
});
