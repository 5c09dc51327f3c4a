import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const asking = everyType
  .replace('- { name: Text, type: text }', '- { name: Text, type: text, required: true }')
  .replace(
    /\n {2}- id: parts/,
    `
    actions:
      - { id: check, name: Check, requirements: { required_fields: [Long Text] } }
      - { id: ask, name: Ask, fields: [{ field: Long Text, required: true }], steps: [] }
      - { id: buy, name: Buy, requirements: { approvals: { of: [{ id: boss, users: [Mina@acme.test] }] } } }$&`,
  );
const spaces: readonly (readonly [string])[] = [
  [' '],
  ['\t\n'],
  ['\u200b'],
  ['\u00a0 \u3000\ufeff'],
  ['\u2060\u00ad\u200d'],
  ['\u3164\u2800'],
];

const { service, api } = await startServiceWith(asking);
await api.post(tasks, { ID: '1', Text: 'x' }).expect(201);

describe('4 a text in which nothing can be seen is blank', () => {
  const names = ['Long Text', 'Number', 'Price', 'Phone', 'Day', 'Moment', 'Owner', 'Tier', 'E-mail', 'Website', 'Assigned To']; // prettier-ignore
  it.each(spaces)('%j is stored as null by every field that takes texts', async (blank) => {
    const sent = Object.fromEntries(names.map((name) => [name, blank]));
    const { body } = await api.post(tasks, { ID: '1', ...sent }).expect(200);
    expect(body).toMatchObject(Object.fromEntries(names.map((name) => [name, null])));
    const found = await api.get(`${tasks}?${new URLSearchParams({ 'Long Text': blank }).toString()}`);
    expect(found.body).toHaveLength(1);
  });

  it.each(spaces)('%j is refused where a value is required', async (blank) => {
    const required = ['is required'];
    const refusal = async (path: string, body: object): Promise<unknown> => (await api.post(path, body).expect(422)).body; // prettier-ignore
    expect(await refusal(tasks, { ID: blank, Text: blank })).toEqual({ errors: { ID: required, Text: required } }); // prettier-ignore
    expect(await refusal(tasks, { ID: '1', Parts: [{ 'Part ID': blank }] })).toEqual({ errors: { Parts: ['names a task without its Part ID'] } }); // prettier-ignore
    expect(await refusal(`${tasks}/1/comments`, { body: blank })).toEqual({ errors: { body: required } });
    expect(await refusal(`${tasks}/1/checklist_items`, { title: blank, Stage: blank })).toEqual({ errors: { title: required, Stage: required } }); // prettier-ignore
    const decision = { action_id: 'buy', id: 'boss', decision: 'reject', comment: blank, performed_by: 'mina@acme.test' }; // prettier-ignore
    expect(await refusal(`${tasks}/1/approvals`, decision)).toMatchObject({ errors: { comment: required } });
  });

  it.each(spaces)('%j does not meet the requirements of an action', async (blank) => {
    await api.post(tasks, { ID: '1', 'Long Text': blank }).expect(200);
    const perform = async (body: object): Promise<unknown> =>
      (await api.post('/api/v1/workflows/things/executions', { task_id: '1', ...body }).expect(422)).body;
    const failed = (...errors: string[]): object => ({ status: 'Fail', errors });
    expect(await perform({ action_id: 'check' })).toEqual(failed('Long Text is required'));
    expect(await perform({ action_id: 'ask', fields: { 'Long Text': blank } })).toEqual({ errors: { 'Long Text': ['is required'] } }); // prettier-ignore
    expect(await perform({ action_id: blank, task_id: blank })).toEqual(failed('task_id is required', 'action_id is required')); // prettier-ignore
  });

  it('an item of a checklist keeps its title', async () => {
    const { body } = await api.post(`${tasks}/1/checklist_items`, { title: 'x', Stage: 'New' }).expect(201);
    const { id } = body as { readonly id: string };
    const refused = await api.put(`${tasks}/1/checklist_items/${id}`, { title: ' ' }).expect(422);
    expect(refused.body).toEqual({ errors: { title: ['is required'] } });
  });

  it('is no name in a definition', async () => {
    await expect(service.apply(everyType.replace('name: Text,', 'name: "\u200b",'))).rejects.toThrow(
      'is empty',
    );
  });
});
