import { filesOf, inline, sendForm } from '../support/attachments.js';
import { receiverOfFile } from '../support/receiver.js';
import { type DefinitionParts, startApprovals, vendors } from './approvals.js';

const boss = 'id: boss, roles: [boss]';

const receiver = await receiverOfFile();
const { api, applyGroups, groupOf, decide, vendor, change, perform } = await startApprovals(
  [boss],
  {},
  { WTS_OUTBOUND_ALLOW: '127.0.0.0/8' },
);

// Rule: what was approved is what the action does, whatever changes between the decision and the end.
describe('approved values cannot be changed afterwards', () => {
  const lines = '/api/v1/workflows/lines/tasks';

  /** A vendor in Review that the boss has approved. */
  async function approved(more: object = {}): Promise<string> {
    const id = await vendor({ Amount: '10', ...more });
    await decide('otto', id, { groupId: 'boss' });
    return id;
  }

  const stale = async (task: string): Promise<unknown> => (await groupOf(task, 'boss')).decisions;
  const isStale = (because: string): object[] => [
    { state: 'stale', because: `${because} has changed since` },
  ];
  const call = (path: string): string =>
    `{ name: ${path}, type: api_call, url: '${receiver.url}/${path}', tries: 1 }`;

  it('by a value that the action asks for: the definition is refused', async () => {
    const apply = (group: string, parts: DefinitionParts = {}): Promise<void> =>
      applyGroups([`${boss}${group}`], { asks: ['Amount'], ...parts });
    const because = 'is approved by boss, so nobody can be asked for Amount afterwards';
    await expect(apply('')).rejects.toThrow(`${because}: let another action ask for it, or write covers`);
    await expect(apply(', covers: [Note, Amount]')).rejects.toThrow(because);
    await expect(apply(`, covers: [Note], when: 'task["Amount"] > 5'`)).rejects.toThrow(because);
    const copies = ['{ name: Copy, type: update_fields, set: { Note: "{{Amount}}" } }'];
    await expect(apply(', covers: [Note]', { steps: copies })).rejects.toThrow(because);
    for (const judge of ['field: Owner', 'not: [Owner]'])
      await expect(apply(`, covers: [Note], ${judge}`, { asks: ['Owner'] })).rejects.toThrow(
        'is approved by boss, so nobody can be asked for Owner afterwards: let another action ask for it',
      );
    await apply(', covers: [Note]');
  });

  it('by the source of a value that a step copies, or that another step copies first', async () => {
    await applyGroups([`${boss}, covers: [Amount]`], {
      steps: [
        `{ name: Own, type: update_fields, when: 'task["Note"] != "x"', set: { Owner: "{{Assigned To}}" } }`,
        `{ name: Weigh, type: update_fields, set: { Amount: { expression: 'task["Owner"] == null ? 1 : 2' }, Note: "{{Stage}}" } }`,
        '{ name: Own, type: assign, to: { field: Owner } }',
      ],
    });
    for (const key of ['Owner', 'Assigned To', 'Note']) {
      const task = await approved();
      await change(task, { [key]: 'theo@acme.test' });
      expect(await stale(task)).toMatchObject(isStale(key));
    }
    const task = await approved({ Contract: [inline('a.txt', 'one')] });
    await change(task, { Contract: [] });
    expect((await perform(task)).body).toMatchObject({ status: 'Success' });
  });

  it.each([
    ['a condition', `${boss}, covers: [Note], when: 'task.Lines.exists(l, l.Price < 100)'`, []],
    ['a step', `${boss}, covers: [Amount]`, [`{ name: Sum, type: update_fields, set: { Amount: { expression: 'sum(task.Lines.map(l, l.Price))' } } }`]], // prettier-ignore
  ])(
    'by a change of a linked task that %s reads, however the relationship is written',
    async (reader, group, steps) => {
      await applyGroups([group], { steps });
      const line = `read by ${reader}`;
      await api.post(lines, { Line: line, Price: '5' }).expect(201);
      const task = await approved({ Lines: [{ Line: line }] });
      await api.put(lines, { Line: line, Price: '6' }).expect(200);
      expect(await stale(task)).toMatchObject(isStale('Lines'));
    },
  );

  it('while an earlier call of the action is running: the later call is not made', async () => {
    await applyGroups([`${boss}, covers: [Lines]`], { steps: [call('ask'), call('pay')] });
    await api.post(lines, { Line: 'L-slow', Price: '5' }).expect(201);
    receiver.answer('/ask', async (response) => {
      await api.put(lines, { Line: 'L-slow', Price: '1000000' }).expect(200);
      response.end();
    });
    const task = await approved({ Lines: [{ Line: 'L-slow' }] });
    expect((await perform(task)).body).toMatchObject({ status: 'Fail' });
    expect(receiver.of('/pay')).toEqual([]);
  });

  it('by a file that is replaced, added or removed', async () => {
    await applyGroups([`${boss}, covers: [Contract]`]);
    const path = (task: string): string => `${vendors}/${task}/attachments/Contract`;
    const changes: ((task: string, blobId: string) => Promise<unknown>)[] = [
      (task) => change(task, { Contract: [inline('a.txt', 'two')] }),
      (task) => sendForm(api, path(task), { filename: 'b.txt' }),
      (task, blobId) => api.delete(`${path(task)}/${blobId}`).expect(204),
    ];
    for (const change of changes) {
      const task = await approved({ Contract: [inline('a.txt', 'one')] });
      const [file] = filesOf(await api.get(`${vendors}/${task}`), 'Contract');
      await change(task, file?.blobId ?? '');
      expect(await stale(task)).toMatchObject(isStale('Contract'));
      expect((await perform(task)).body).toMatchObject({ status: 'Fail' });
    }
  });
});
