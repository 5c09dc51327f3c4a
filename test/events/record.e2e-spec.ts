import { countVersionsFromOne, startServiceWith } from '../support/service.js';
import { inline } from '../support/attachments.js';
import { postBatch } from '../support/batch.js';
import { nextOf } from '../support/pages.js';
import { type Event, eventsOf } from './following.js';

const vendors = '/api/v1/workflows/vendors';
const tasks = `${vendors}/tasks`;

const definition = `
workspace: { id: acme, name: Acme Inc }
users: [{ email: mina@acme.test }, { email: omar@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: In Review }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Contract Value, type: currency }
      - { name: Urgent, type: checkbox }
      - { name: Reviewer, type: person }
      - { name: Tags, type: multipleSelect, options: [a, b] }
      - { name: Papers, type: file }
    checklist: [{ title: Verify address, stage: New }]
    actions:
      - { id: finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }
      - { id: reopen, name: Reopen, requirements: { assigned: true }, steps: [{ name: Back, type: move_to_stage, stage: New }] }
      - { id: drop, name: Drop, steps: [{ name: Gone, type: delete_task }] }
      - { id: bill, name: Bill, steps: [{ name: Bill, type: create_linked_task, relationship: invoices, set: { Number: '{{ID}}-I' } }] }
  - id: invoices
    name: Invoices
    stages: [{ name: Open }]
    fields: [{ name: Number, type: uniqueId, required: true }]
    actions:
      - { id: hand-on, name: Hand on, steps: [{ name: Hand on, type: create_linked_task, relationship: invoices, set: { ID: '{{Number}}-V' } }] }
relationships:
  - { id: invoices, kind: one_to_many, from: { workflow: vendors, name: Invoices }, to: { workflow: invoices, name: Vendor } }
`;

const { service, api, key } = await startServiceWith(definition, { PUBLIC_URL: 'http://wts.test' });
await countVersionsFromOne(service);
const [row] = await service.dataSource.query<[{ id: string }]>('SELECT id FROM api_keys');
const keyId = row.id;

describe('the record of events', () => {
  /** The events of a task, oldest first. */
  async function history(id: string): Promise<Event[]> {
    return (await api.read<Event[]>(`${tasks}/${id}/history`)).toReversed();
  }

  async function last(id: string): Promise<Event> {
    const event = (await history(id)).at(-1);
    if (!event) throw new Error('nothing happened');
    return event;
  }

  /** All events that the work makes, in the order of the feed. */
  async function during(work: () => PromiseLike<unknown>): Promise<Event[]> {
    const { next } = await eventsOf(api, '/api/v1/events?_after=now');
    await work();
    return (await eventsOf(api, next)).events;
  }

  it('"A created task shows all that is not blank with `from: null`"', async () => {
    const sent = { ID: 'V-1', 'Contract Value': 10, Tags: ['b', 'a'], 'Assigned To': 'mina@acme.test' };
    await api.post(tasks, sent).set('X-Request-Id', 'first').expect(201);
    const url = (await api.read<Record<string, string>>(`${tasks}/V-1`))['Task URL'] ?? '';
    expect(await last('V-1')).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) as string,
      type: 'task.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      data: {
        workspace: 'acme',
        workflow: 'vendors',
        task: { id: url.split('/').at(-1), unique_id: 'V-1', url, version: 1 },
        actor: { kind: 'key', id: keyId, name: 'test' },
        execution: null,
        request_id: 'first',
        cause: null,
        changes: {
          Stage: { from: null, to: 'New' },
          'Assigned To': { from: null, to: 'mina@acme.test' },
          ID: { from: null, to: 'V-1' },
          'Contract Value': { from: null, to: '10.00' },
          Tags: { from: null, to: ['a', 'b'] },
        },
      },
    });
  });

  it('an update records only the changed keys, as a GET shows them', async () => {
    const change = { ID: 'V-1', 'Contract Value': '12', Stage: 'In Review', Urgent: true, Tags: [] };
    await api.put(tasks, { ...change, Reviewer: 'omar@acme.test', 'Assigned To': null }).expect(200);
    const { type, data } = await last('V-1');
    expect([type, data.task?.version, data.changes]).toEqual([
      'task.updated',
      2,
      {
        Stage: { from: 'New', to: 'In Review' },
        'Assigned To': { from: 'mina@acme.test', to: null },
        'Contract Value': { from: '10.00', to: '12.00' },
        Urgent: { from: false, to: true },
        Reviewer: { from: null, to: 'omar@acme.test' },
        Tags: { from: ['a', 'b'], to: [] },
      },
    ]);
  });

  it('"a write that changes nothing makes none"', async () => {
    const before = await history('V-1');
    for (const verb of ['put', 'post'] as const)
      await api[verb](tasks, { ID: 'V-1', Urgent: true }).expect(200);
    expect(await history('V-1')).toEqual(before);
    // "Newest first, pages as everywhere."
    const page = await api.get(`${tasks}/V-1/history?_limit=1`).expect(200);
    const rest = await api.get(nextOf(page)).expect(200);
    expect([...(page.body as Event[]), ...(rest.body as Event[])]).toEqual(before.toReversed());
  });

  it('a batch makes an event for each change', async () => {
    const rows = [{ ID: 'B-1' }, { ID: 'B-1', Urgent: true }];
    const batch = await postBatch(`${service.url}${tasks}/batch`, key, rows);
    expect(batch.status).toBe(200);
    expect((await history('B-1')).map(({ type }) => type)).toEqual(['task.created', 'task.updated']);
  });

  it('"file and link changes are always both lists", and links show on both sides', async () => {
    await api.post('/api/v1/workflows/invoices/tasks', { Number: '2' }).expect(201);
    const events = await during(() =>
      api.post(tasks, { ID: 'V-3', Papers: [inline('a.txt')], Invoices: [{ Number: '2' }] }).expect(201),
    );
    const { Papers } = await api.read<{ Papers: unknown[] }>(`${tasks}/V-3`);
    const added = { Papers: { added: Papers, removed: [] }, Invoices: { linked: ['2'], unlinked: [] } };
    expect(events.map(({ data }) => [data.task?.unique_id, data.changes])).toMatchObject([
      ['V-3', added],
      ['2', { Vendor: { linked: ['V-3'], unlinked: [] } }],
    ]);
    const removed = await during(() => api.put(tasks, { ID: 'V-3', Papers: [], Invoices: [] }).expect(200));
    expect(removed.map(({ data }) => [data.task?.unique_id, data.changes]).sort()).toEqual([
      ['2', { Vendor: { linked: [], unlinked: ['V-3'] } }],
      ['V-3', { Papers: { added: [], removed: Papers }, Invoices: { linked: [], unlinked: ['2'] } }],
    ]);
  });

  describe('a task that is created with a link makes one event, in its first version, and one of each linked task', () => {
    const invoices = '/api/v1/workflows/invoices';
    const begin = (workflow: string, task_id: string, action_id: string): PromiseLike<unknown> =>
      api.post(`${workflow}/executions`, { task_id, action_id }).set('Prefer', 'wait=20').expect(200);
    const seen = async (work: () => PromiseLike<unknown>): Promise<unknown[]> => {
      const events = (await during(work)).filter(({ type }) => type.startsWith('task.'));
      const keysOf = (changes: object = {}): string[] => Object.keys(changes).sort();
      return events
        .map(({ type, data: { task, changes } }) => [type, task?.unique_id, task?.version, keysOf(changes)])
        .sort();
    };

    it.each<[string, () => PromiseLike<unknown>]>([
      ['a POST', () => api.post(`${invoices}/tasks`, { Number: 'L-1-I', Vendor: { ID: 'L-1' } }).expect(201)],
      ['the step create_linked_task', () => begin(vendors, 'L-1', 'bill')],
    ])('by %s', async (_, create) => {
      await api.post(tasks, { ID: 'L-1' }).expect(201);
      expect(await seen(create)).toEqual([
        ['task.created', 'L-1-I', 1, ['Number', 'Stage', 'Vendor']],
        ['task.updated', 'L-1', 2, ['Invoices']],
      ]);
      // By that step the new task takes the place of another.
      expect(await seen(() => begin(invoices, 'L-1-I', 'hand-on'))).toEqual([
        ['task.created', 'L-1-I-V', 1, ['ID', 'Invoices', 'Stage']],
        ['task.updated', 'L-1', 3, ['Invoices']],
        ['task.updated', 'L-1-I', 2, ['Vendor']],
      ]);
      for (const task of [`${tasks}/L-1-I-V`, `${tasks}/L-1`, `${invoices}/tasks/L-1-I`])
        await api.delete(task).expect(204);
    });
  });

  it('"A `task.deleted` has the last version + 1" and what the task last had; its history is 404 then', async () => {
    await api.put(`${tasks}/V-3/links/Invoices/2`).expect(204);
    const [{ body }, before] = [await api.get(`${tasks}/V-3`), await last('V-3')];
    const events = await during(() => api.delete(`${tasks}/V-3`).expect(204));
    const event = events.find(({ type }) => type === 'task.deleted');
    expect(event?.data.task).toEqual({ ...before.data.task, version: (before.data.task?.version ?? 0) + 1 });
    expect(event?.data.changes).toEqual({
      Stage: { from: 'New', to: null },
      ID: { from: 'V-3', to: null },
      Invoices: { linked: [], unlinked: ['2'] },
    });
    await api.get(`${tasks}/V-3/history`).expect(404);
    // "the feed has it by `task=<id in its Task URL>`"; "items that go with their task make no events of their own".
    const id = (body as Record<string, string>)['Task URL']?.split('/').at(-1) ?? '';
    const all = await eventsOf(api, `/api/v1/events?task=${id}`);
    const types = all.events.map(({ type }) => type.replace('task.', ''));
    expect(types).toEqual(['created', 'updated', 'updated', 'deleted']);
    // "a task made anew under the same Unique ID … its history holds only its own events".
    await api.post(tasks, { ID: 'V-3' }).expect(201);
    expect((await history('V-3')).map(({ type }) => type)).toEqual(['task.created']);
  });

  it('records items and comments as a GET shows them, with their authors', async () => {
    const items = `${tasks}/V-1/checklist_items`;
    const { body: item } = await api.post(items, { title: 'Call', Stage: 'New' }).expect(201);
    const at = `${items}/${(item as { id: string }).id}`;
    const { body: done } = await api.put(at, { status: 'Completed' }).expect(200);
    await api.put(at, { status: 'Completed' }).expect(200);
    await api.delete(at).expect(204);
    const comment = { body: 'Well', performed_by: 'mina@acme.test' };
    const { body: said } = await api.post(`${tasks}/V-1/comments`, comment).expect(201);
    const told = (await history('V-1')).slice(-4);
    expect(told.map(({ type, data }) => [type, data.checklist_item ?? data.comment, data.changes])).toEqual([
      ['checklist_item.created', item, undefined],
      ['checklist_item.updated', done, { status: { from: 'Blank', to: 'Completed' } }],
      ['checklist_item.deleted', done, undefined],
      ['comment.created', said, undefined],
    ]);
    expect(told.map(({ data }) => data.actor.kind)).toEqual(['key', 'key', 'key', 'user']);
    expect(told.at(-1)?.data.actor).toEqual({ kind: 'user', id: 'mina@acme.test' });
  });

  it('"What an execution changed names the execution, and its performer as actor"', async () => {
    const start = { task_id: 'V-1', action_id: 'finish', performed_by: 'omar@acme.test' };
    const post = api.post(`${vendors}/executions`, start).set('Prefer', 'wait=20').set('X-Request-Id', 'run');
    const { body } = await post.expect(200);
    const execution = { id: (body as { id: string }).id, action: 'finish', performer: 'omar@acme.test' };
    const told = (await history('V-1')).slice(-3);
    const ended = { ...execution, status: 'Success' };
    const outcomes = [{ name: 'Close', status: 'Success' }];
    expect(told.map(({ type, data }) => [type, data.execution, data.changes]).sort()).toEqual([
      ['execution.started', { ...execution, status: 'Pending' }, undefined],
      ['execution.succeeded', { ...ended, errors: [], outcomes }, undefined],
      ['task.updated', ended, { Stage: { from: 'In Review', to: 'Done' } }],
    ]);
    for (const { data } of told)
      expect([data.actor, data.request_id]).toEqual([{ kind: 'user', id: 'omar@acme.test' }, 'run']);
  });

  it('"DELETE alone makes `.cancelled`", another end without success is `execution.failed`', async () => {
    await api.post(tasks, { ID: 'V-4' }).expect(201);
    // Another worker has the task in hand.
    const held = `INSERT INTO executions (workspace_id, workflow_id, task_id, action_id, action_name, definition, steps, lease_until, claims)
      SELECT workspace_id, workflow_id, id, 'finish', 'Finish', 1, '[]', now() + interval '1 day', 1 FROM tasks WHERE unique_value = 'V-4'`;
    await service.dataSource.query(held);
    const start = { task_id: 'V-4', action_id: 'drop' };
    const { id } = (await api.post(`${vendors}/executions`, start).expect(202)).body as { id: string };
    const ended = await during(async () => {
      await api.delete(`${vendors}/executions/${id}`).expect(204);
      await service.dataSource.query(`UPDATE executions SET status = 'Fail', errors = '{no}', finished_at = now() WHERE status = 'Pending'`); // prettier-ignore
    });
    expect(ended.map(({ type, data }) => [type, data.execution])).toEqual([
      ['execution.cancelled', { id, action: 'drop', performer: null, status: 'Fail', errors: ['was cancelled'], outcomes: [] }], // prettier-ignore
      ['execution.failed', expect.objectContaining({ action: 'finish', errors: ['no'] })],
    ]);
    const events = await during(() =>
      api.post(`${vendors}/executions`, start).set('Prefer', 'wait=20').expect(200),
    );
    expect(events.map(({ type, data }) => [type, data.actor.kind, data.task?.unique_id])).toEqual([
      ['execution.started', 'key', 'V-4'],
      ['task.deleted', 'key', 'V-4'],
      ['execution.succeeded', 'key', 'V-4'],
    ]);
  });

  it('"It is made … by the database, so that no way of writing can forget it": a hand-written UPDATE', async () => {
    await service.dataSource.query(`UPDATE tasks SET field_values = '{}' WHERE unique_value = 'V-1'`);
    const { data } = await last('V-1');
    expect([data.actor, data.changes?.['Urgent']]).toEqual([{ kind: 'system' }, { from: true, to: false }]);
    const [unlinked] = await during(async () => {
      await api.post(tasks, { ID: 'V-5' }).expect(201);
      await api.put(`${tasks}/V-5/links/Invoices/2`).expect(204);
      await service.dataSource.query('DELETE FROM links');
    }).then((events) => events.slice(-2).filter((event) => event.data.task?.unique_id === 'V-5'));
    expect(unlinked?.data.changes).toEqual({ Invoices: { linked: [], unlinked: ['2'] } });
  });

  it('"Names are those in force when it is read"; what an apply changes comes from the definition', async () => {
    await api.post(tasks, { ID: 'V-6', 'Contract Value': 5, Stage: 'In Review' }).expect(201);
    const events = await during(() =>
      service.apply(definition.replace('{ name: Contract Value,', '{ name: Worth, was: Contract Value,')),
    );
    const applied = { actor: { kind: 'definition', version: 2 }, definition: { version: 2 } };
    const data = { ...applied, task: null, workflow: null };
    expect(events.at(-1)).toMatchObject({ type: 'definition.applied', data });
    expect((await last('V-6')).data.changes).toMatchObject({ Worth: { from: null, to: '5.00' } });
    // A stage that is gone is told by the name that it had last.
    const moved = definition
      .replace('{ name: Contract Value,', '{ name: Worth,')
      .replace('{ name: In Review }', '{ name: In Review, removed: true, move_tasks_to: Done }');
    await service.apply(moved);
    expect((await last('V-6')).data).toMatchObject({
      actor: { kind: 'definition', version: 3, name: 'the service' },
      changes: { Stage: { from: 'In Review', to: 'Done' } },
    });
  });
});
