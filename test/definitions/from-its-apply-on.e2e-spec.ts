import { receiverOfFile } from '../support/receiver.js';
import { type Client, startServiceWith } from '../support/service.js';

const orders = '/api/v1/workflows/orders/tasks';

interface Parts {
  readonly stages?: string;
  /** The requirements of the action `pay`. */
  readonly needs?: string;
  readonly rules?: string;
  readonly webhooks?: string;
}

const receiver = await receiverOfFile();
const { service } = await startServiceWith([], { WTS_OUTBOUND_ALLOW: '127.0.0.0/8' });

// Rule: what a definition adds follows the events of its own apply, too; rules only those of approvals.
describe('an element that a definition adds', () => {
  const all = '{ name: Open }, { name: Old }, { name: Paid, end: true }';
  const few = all.replace('name: Old', 'name: Old, removed: true, move_tasks_to: Open');

  const definition = (
    workspace: string,
    { stages = all, needs = '{}', rules = '', webhooks = '' }: Parts,
  ): string => `
workspace: { id: ${workspace} }
users: [{ email: mina@acme.test }]
workflows:
  - { id: orders, name: Orders, stages: [${stages}],
      fields: [{ name: ID, type: uniqueId, required: true }, { name: Note, type: text }],
      roles: [{ id: clerk, name: Clerk, actions: [pay] }], members: [{ email: mina@acme.test, role: clerk }],
      actions: [
        { id: pay, name: Pay, requirements: ${needs}, steps: [{ name: Move, type: move_to_stage, stage: Paid }] },
        { id: note, name: Note it, steps: [{ name: Write, type: update_fields, set: { Note: noted } }] }],
      rules: [${rules}] }
webhooks: [${webhooks}]
`; // prettier-ignore

  const start = async (workspace: string, parts: Parts = {}): Promise<Client> => {
    return service.clientOf(definition(workspace, parts));
  };

  it('such as a webhook, receives the events of its version and of the tasks that the apply moves', async () => {
    const api = await start('receives');
    await api.send(orders, { ID: 'a', Stage: 'Old' });
    await service.settle();
    const webhooks = `{ id: all, url: "${receiver.url}/all", events: [task.updated, definition.applied] }`;
    await service.apply(definition('receives', { stages: few, webhooks }));
    await service.settle();
    const types = receiver.of('/all').map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(types).toEqual(['task.updated', 'definition.applied']);
  });
});
