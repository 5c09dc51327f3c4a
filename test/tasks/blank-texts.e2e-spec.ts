import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const executions = '/api/v1/workflows/things/executions';
const asking = everyType
  .replace('- { name: Text, type: text }', '- { name: Text, type: text, required: true }')
  .replace(
    /\n {2}- id: parts/,
    `
    actions:
      - { id: check, name: Check, requirements: { required_fields: [Long Text] } }
      - { id: ask, name: Ask, fields: [{ field: Long Text, required: true }], steps: [] }
      - { id: buy, name: Buy, requirements: { approvals: { of: [{ id: boss, by: anyone, users: [Mina@acme.test] }] } } }$&`,
  );
const required = ['is required'];

const { api } = await startServiceWith(asking);
await api.post(tasks, { ID: '1', Text: 'x' }).expect(201);

describe('4 a text without a visible character is blank', () => {
  const names = ['Long Text', 'Number', 'Price', 'Phone', 'Day', 'Moment', 'Owner', 'Tier', 'E-mail', 'Website', 'Assigned To']; // prettier-ignore
  it.each([[' '], ['\t\n'], ['\u200b'], ['\u00a0 \u3000\ufeff'], ['\u2060\u00ad\u200d'], ['\u3164\u2800']])(
    '%j is stored as null by every field that takes texts, refused where a value is required, and meets no requirement',
    async (blank) => {
      const given = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
      expect(await api.send(tasks, { ID: '1', ...given(blank) })).toMatchObject(given(null));
      const query = new URLSearchParams({ 'Long Text': blank });
      expect(await api.read(`${tasks}?${query.toString()}`)).toHaveLength(1);

      const decision = { action_id: 'buy', id: 'boss', decision: 'reject', performed_by: 'mina@acme.test' };
      const failed = (...errors: string[]): object => ({ status: 'Fail', errors });
      for (const [path, body, answer] of [
        [tasks, { ID: blank, Text: blank }, { errors: { ID: required, Text: required } }],
        [tasks, { ID: '1', Parts: [{ 'Part ID': blank }] }, { errors: { Parts: ['must name each task by its Part ID'] } }], // prettier-ignore
        [`${tasks}/1/comments`, { body: blank }, { errors: { body: required } }],
        [`${tasks}/1/checklist_items`, { title: blank, Stage: blank }, { errors: { title: required, Stage: required } }], // prettier-ignore
        [`${tasks}/1/approvals`, { ...decision, comment: blank }, { errors: { comment: required } }],
        [executions, { task_id: '1', action_id: 'check' }, failed('Long Text is required')],
        [executions, { task_id: '1', action_id: 'ask', fields: { 'Long Text': blank } }, { errors: { 'Long Text': required } }], // prettier-ignore
        [executions, { action_id: blank, task_id: blank }, failed('task_id is required', 'action_id is required')], // prettier-ignore
      ] as const)
        expect((await api.post(path, body).expect(422)).body).toEqual(answer);
    },
  );

  it('an item of a checklist keeps its title', async () => {
    const items = `${tasks}/1/checklist_items`;
    const { id } = await api.send<{ id: string }>(items, { title: 'x', Stage: 'New' });
    await api.put(`${items}/${id}`, { title: ' ' }).expect(422, { errors: { title: required } });
  });
});
