import { holdBy } from '../support/held-tasks.js';
import { blocked } from '../support/blocked.js';
import { startServiceWith } from '../support/service.js';

const workflow = (id: string): string => `
  - id: ${id}
    name: ${id}
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions:
      - { id: finish, name: Finish, stages: [New], steps: [{ name: Close, type: move_to_stage, stage: Done }] }`;
const { service, api } = await startServiceWith(
  `workspace: { id: acme, name: Acme }\nworkflows:${workflow('held')}${workflow('free')}`,
);

const ids = ['1', '2', '3'];
const finish = (workflow: string): Promise<unknown[]> =>
  Promise.all(
    ids.map(async (task_id) => {
      const path = `/api/v1/workflows/${workflow}/executions`;
      const { body } = await api.post(path, { task_id, action_id: 'finish' }).set('Prefer', 'wait=25');
      return (body as { readonly status?: unknown }).status;
    }),
  );
const ofHeld = `SELECT FROM tasks t JOIN workflows w ON w.id = t.workflow_id WHERE w.slug = 'held'`;

it.each([
  ['tasks that are being changed', `${ofHeld} FOR NO KEY UPDATE OF t`],
  ['tasks that are being deleted', `${ofHeld} FOR UPDATE OF t`],
  [
    'a definition that is being changed',
    `SELECT pg_advisory_xact_lock(workspace_id, id) FROM workflows WHERE slug = 'held'`,
  ],
])('executions wait for %s, and other executions do not', async (_, hold) => {
  for (const workflow of ['held', 'free'])
    for (const ID of ids)
      await api.post(`/api/v1/workflows/${workflow}/tasks`, { ID, Stage: 'New' }).expect(/"New"/);
  const release = await holdBy(service.dataSource, hold);
  const held = finish('held');
  await blocked(service.dataSource);
  expect(await finish('free')).toEqual(ids.map(() => 'Success'));
  await release();
  expect(await held).toEqual(ids.map(() => 'Success'));
});
