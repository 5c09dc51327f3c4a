import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/orders/tasks';

function definition(stages: string, fields: string, item: string, user: string): string {
  return `
workspace: { id: acme, name: Acme }
users: [{ email: ${user} }]
workflows:
  - id: orders
    name: Orders
    stages: [${stages}]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Owner, type: person }, ${fields}]
    checklist: [${item}]
`;
}

const first = definition(
  '{ name: New }, { name: Open }',
  '{ name: Note, type: text }',
  '{ title: Greet, stage: New }',
  'ada@acme.test',
);
// Two stages whose names move on, so that one is called as another was.
const second = definition(
  '{ name: Open, was: New }, { name: Begun, was: Open }',
  '{ name: Comment, was: Note, type: text }, { name: Amount, type: number }',
  '{ title: Hail, was: Greet, stage: Open }',
  'eve@acme.test, was: ada@acme.test',
);
const third = definition(
  '{ name: Open }, { name: Begun }',
  '{ name: Remark, was: Comment, type: text }, { name: Amount, type: number }',
  '{ title: Wave, was: Hail, stage: Open }',
  'eve@acme.test',
);

const { service, api } = await startServiceWith(first);

describe('a rollback', () => {
  const rollback = async (to: number, more = ''): Promise<object> => {
    const admin = service.client(await service.key('acme', 'admin'));
    return (await admin.post(`/api/v1/definition/rollback?to=${to}${more}`).expect(200)).body as object;
  };

  it('renames elements back, with their values, and tells of tasks that stay where an apply has moved them', async () => {
    const task = { ID: '1', Stage: 'Open', Note: 'kept', Owner: 'ada@acme.test' };
    await api.post(tasks, task).expect(201);
    await service.apply(second);
    await service.apply(third);
    expect(await rollback(1)).toMatchObject({ version: 4 });
    const restored = await api.read(`${tasks}/1`);
    expect(restored).toMatchObject(task);
    expect(restored).not.toHaveProperty('Amount');
    expect(await rollback(1)).toMatchObject({ version: 4, changes: [] });
    await service.apply(first.replace('{ name: Open }', '{ name: Open, removed: true, move_tasks_to: New }'));
    const warnings = [
      'stage orders / Open comes back empty: tasks that were moved out of it stay where they are',
      'the definition file stays as it is: change it too, or its next apply undoes this',
    ].map((message) => ({ message }));
    expect(await rollback(4, '&dry_run=true')).toMatchObject({ version: 5, warnings });
    expect(await rollback(4)).toMatchObject({ version: 6, warnings });
    expect(await api.read(`${tasks}/1`)).toMatchObject({ Stage: 'New' });
  });
});
