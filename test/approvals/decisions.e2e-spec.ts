import { type ShownApproval } from '../../src/approvals/approval.dto.js';
import { InvalidFields } from '../../src/common/field-errors.js';
import { english } from '../../src/common/message.js';
import { inline } from '../support/attachments.js';
import { startApprovals, usualMembers, vendors } from './approvals.js';

const legal = 'id: legal, count: 2, roles: [legal]';
const one = 'id: legal, count: 1, roles: [legal]';
const hasChanged = { kind: 'precondition-failed' };
const oneMore = 'needs 1 more approval of legal: ines@acme.test, theo@acme.test may';

const setting = await startApprovals([legal]);
const { service, api, applyGroups, groupOf, vendor, decide, change, revisit, unmet, perform } = setting;
const { eventsOf, write } = setting;

describe('the approvals of a task', () => {
  /** That a decision is refused at a field of what was sent, and why. */
  async function expectRefused(work: Promise<unknown>, field: string, message: string): Promise<void> {
    const error: unknown = await work.catch((reason: unknown) => reason);
    if (!(error instanceof InvalidFields)) throw new Error('it was not refused', { cause: error });
    expect(error.fields.map(([name, messages]) => [name, messages.map(english)])).toEqual([
      [field, [message]],
    ]);
  }

  const approve = async (task: string, performer?: string): Promise<number> =>
    (await perform(task, 'approve', performer)).status;

  it('are counted and named until there are enough, and then the action begins', async () => {
    await applyGroups([legal]);
    const task = await vendor();
    const two = 'needs 2 more approvals of legal: ines@acme.test, theo@acme.test may';
    expect(await unmet(task)).toEqual([two]);
    expect(await approve(task)).toBe(422);
    const shown = await decide('theo', task, { comment: 'fine' });
    expect(shown).toMatchObject({
      ...{ action: 'approve', id: 'legal', needed: 2, given: 1, open: ['ines@acme.test'] },
      decisions: [{ by: 'theo@acme.test', for: null, decision: 'approve', comment: 'fine', state: 'counts' }],
    });
    expect(await setting.groupsOf(task)).toEqual([shown]);
    expect(await unmet(task)).toEqual(['needs 1 more approval of legal: ines@acme.test may']);
    await decide('ines', task);
    expect(await unmet(task)).toEqual([]);
    expect(await approve(task)).toBe(200);
    expect(await api.read(`${vendors}/${task}`)).toMatchObject({ Stage: 'Done' });
  });

  it('are used up by the action, even if its own steps change what the approvals cover', async () => {
    const step = '{ name: Write, type: update_fields, set: { Note: approved } }';
    await applyGroups([one], { steps: [step] });
    const task = await vendor();
    await decide('theo', task);
    expect(await approve(task)).toBe(200);
    expect(await groupOf(task)).toMatchObject({ given: 0, decisions: [] });
    await change(task, { Stage: 'Review' });
    expect(await unmet(task)).toEqual([oneMore]);
    expect((await eventsOf(task)).map(({ type }) => type)).not.toContain('approval.stale');
  });

  it('become stale if covered values change, even back, and when the task leaves its stage', async () => {
    await applyGroups([`${one}, covers: [Amount, Contract]`]);
    const task = await vendor({ Amount: '10' });
    await decide('theo', task);
    await change(task, { Note: 'not covered' });
    expect(await unmet(task)).toEqual([]);
    for (const Amount of ['11', '10']) await change(task, { Amount });
    await change(task, { Contract: [inline('a.txt')] });
    expect(await unmet(task)).toEqual([oneMore, 'an approval is stale: Amount, Contract have changed since']);
    expect(await approve(task)).toBe(422);
    // One event for each group and write.
    const events = await eventsOf(task);
    expect(events.filter(({ type }) => type === 'approval.stale')).toHaveLength(1);
    await decide('theo', task);
    expect(await unmet(task)).toEqual([]);
    await revisit(task);
    expect(await unmet(task)).toEqual([oneMore, 'an approval is stale: the task has left Review since']);
  });

  it('become stale when a covered relationship changes, or a task that is linked by it', async () => {
    await applyGroups([`${one}, covers: [Lines]`, 'id: all, count: 1, roles: [finance]']);
    const lines = '/api/v1/workflows/lines/tasks';
    await api.post(lines, { Line: 'L-1', Price: '5' }).expect(201);
    const task = await vendor({ Lines: [{ Line: 'L-1' }] });
    const { seen } = await groupOf(task);
    await decide('theo', task);
    await decide('abel', task, { groupId: 'all' });
    await api.put(lines, { Line: 'L-1', Stage: 'Closed' }).expect(200);
    expect((await groupOf(task)).given).toBe(1);
    await api.put(lines, { Line: 'L-1', Price: '6' }).expect(200);
    const stale = { state: 'stale', because: 'Lines has changed since' };
    expect((await groupOf(task)).decisions).toMatchObject([stale]);
    expect((await groupOf(task)).seen).not.toBe(seen);
    // All fields and sets of links are covered unless said, but no values of linked tasks.
    expect((await groupOf(task, 'all')).given).toBe(1);
    await api.delete(`${vendors}/${task}/links/Lines/L-1`).expect(204);
    expect((await groupOf(task, 'all')).given).toBe(0);
  });

  it('name the state that was seen: 412 if a covered file has been replaced meanwhile', async () => {
    await applyGroups([`${one}, covers: [Contract]`]);
    const task = await vendor({ Contract: [inline('a.txt', 'one')] });
    const { seen } = await groupOf(task);
    await change(task, { Note: 'not covered' });
    expect((await groupOf(task)).seen).toBe(seen);
    await change(task, { Contract: [inline('a.txt', 'two')] });
    await expect(decide('theo', task, { seen })).rejects.toMatchObject(hasChanged);
    expect((await groupOf(task)).decisions).toEqual([]);
    await decide('theo', task, { seen: (await groupOf(task)).seen });
  });

  it('can be a rejection with a comment, which holds until it is withdrawn or the task changes', async () => {
    await applyGroups([one]);
    const task = await vendor({ Amount: '10' });
    await expectRefused(decide('ines', task, { decision: 'reject' }), 'comment', 'is required');
    await decide('ines', task, { decision: 'reject', comment: 'too dear' });
    await decide('theo', task);
    expect(await unmet(task)).toEqual(['was rejected by ines@acme.test: too dear']);
    await decide('ines', task, { decision: 'withdraw' });
    expect(await unmet(task)).toEqual([]);
    await expectRefused(
      decide('ines', task, { decision: 'withdraw' }),
      'base',
      'ines@acme.test has nothing to withdraw',
    );
    await decide('ines', task, { decision: 'reject', comment: 'still too dear' });
    await change(task, { Amount: '9' });
    await decide('ines', task);
    expect(await unmet(task)).toEqual([]);
  });

  it('count each person for one group only, by a matching', async () => {
    const one = 'id: one, count: 1, users: [abel@acme.test]';
    const two = 'id: two, count: 1, users: [abel@acme.test, bert@acme.test]';
    await applyGroups([two, two.replace('id: two', 'id: one')]);
    const task = await vendor();
    await decide('abel', task, { groupId: 'two' });
    await decide('abel', task, { groupId: 'one' });
    await applyGroups([two, one]);
    expect(await unmet(task)).toEqual(['needs 1 more approval of two: bert@acme.test may']);
    await decide('bert', task, { groupId: 'two' });
    expect(await unmet(task)).toEqual([]);
    await applyGroups([two.replace(', bert@acme.test', ''), one]);
    expect((await unmet(task)).join()).toMatch(/^cannot be met: one needs 1; abel@.+ for one group only$/);
  });

  it('cannot be met if too few may decide, without the creator, the editors or the performer', async () => {
    await applyGroups(['id: staff, count: 1, users: [mina@acme.test], not: [creator]']);
    const task = 'made by Mina';
    await write('mina', { 'Vendor ID': task, Stage: 'Review' });
    expect(await unmet(task)).toEqual(['cannot be met: staff needs 1, but nobody may approve']);
    await expectRefused(
      decide('mina', task, { groupId: 'staff' }),
      'base',
      'The creator of the task may not decide this.',
    );
    // Creating is not editing.
    const staff = 'id: staff, count: 2, roles: [staff], not: [editors], covers: [Amount]';
    await applyGroups([staff]);
    await decide('mina', task, { groupId: 'staff' });
    await write('mina', { 'Vendor ID': task, Note: 'not covered' });
    expect((await groupOf(task, 'staff')).given).toBe(1);
    await write('mina', { 'Vendor ID': task, Amount: '3' });
    await write('rhea', { 'Vendor ID': task, Amount: '4' });
    expect(await unmet(task)).toEqual([
      'cannot be met: staff needs 2, but only cleo@acme.test may approve',
      'an approval is stale: Amount has changed since',
    ]);
    await applyGroups(['id: legal, count: 1, roles: [legal], not: [performer]']);
    const other = await vendor();
    await decide('theo', other);
    expect(await unmet(other)).toEqual([]);
    expect(await unmet(other, 'theo')).toEqual(['needs 1 more approval of legal: ines@acme.test may']);
    expect(await approve(other, 'theo')).toBe(422);
    expect(await approve(other, 'ines')).toBe(200);
  });

  it('count editors since the last success of the action, even from before there were approvals', async () => {
    await applyGroups(['id: staff, count: 1, roles: [staff], not: [editors]']);
    const task = await vendor();
    await write('mina', { 'Vendor ID': task, Note: 'a' });
    const open = async (): Promise<readonly string[]> => (await groupOf(task, 'staff')).open;
    const others = ['cleo@acme.test', 'rhea@acme.test'];
    expect(await open()).toEqual(others);
    // As if the workflow had got its approvals just now.
    const since = "UPDATE workflows SET approvals_since = clock_timestamp() WHERE slug = 'vendors'";
    for (const statement of ['DELETE FROM task_editors', since]) await service.dataSource.query(statement);
    expect(await open()).toEqual(others);
    await decide('rhea', task, { groupId: 'staff' });
    expect(await approve(task)).toBe(200);
    await change(task, { Stage: 'Review' });
    expect(await open()).toEqual(['cleo@acme.test', 'mina@acme.test', 'rhea@acme.test']);
  });

  it('count while their author may approve, and are ineligible when the role is gone', async () => {
    await applyGroups([one]);
    const task = await vendor();
    await decide('theo', task);
    await applyGroups([one], { members: { ...usualMembers, theo: 'staff' } });
    const ineligible = { state: 'ineligible', because: 'Only legal may decide this.' };
    expect((await groupOf(task)).decisions).toMatchObject([ineligible]);
    expect(await approve(task)).toBe(422);
    await applyGroups([one]);
    expect(await approve(task)).toBe(200);
  });

  it('are needed if `when` is true, and cannot be met if `when` cannot be evaluated', async () => {
    const group = `id: legal, count: 1, roles: [legal], covers: [Note], when: 'task["Amount"] > 100'`;
    await applyGroups([group]);
    const cheap = await vendor({ Amount: '5' });
    expect(await groupOf(cheap)).toMatchObject({ needed: 0, given: 0, open: [] });
    await expectRefused(decide('theo', cheap), 'base', 'is not needed');
    expect(await approve(cheap)).toBe(200);
    const dear = await vendor({ Amount: '500' });
    await decide('theo', dear);
    expect(await unmet(dear)).toEqual([]);
    // What it reads is always covered.
    await change(dear, { Amount: '600' });
    expect((await groupOf(dear)).decisions).toMatchObject([{ because: 'Amount has changed since' }]);
    const blank = await vendor();
    expect(await unmet(blank)).toEqual(['legal: the condition could not be evaluated']);
  });

  it('are given by people who are signed in, and by keys only if the group allows anyone', async () => {
    await applyGroups([one, 'id: money, count: 1, roles: [finance], by: anyone']);
    const task = await vendor();
    const approvals = `${vendors}/${task}/approvals`;
    const sent = { action_id: 'approve', decision: 'approve' };
    const by = (name: string): object => ({ performed_by: `${name}@acme.test` });
    for (const [id, body, errors] of [
      ['legal', by('theo'), { base: ['is decided by people who are signed in, not by keys'] }],
      ['money', {}, { performed_by: ['is required'] }],
      ['money', by('nobody'), { performed_by: ['is not a user of this workspace'] }],
      ['money', by('theo'), { base: ['Only money may decide this.'] }],
      ['nothing', {}, { id: ['is not a group of approve'] }],
      ['money', { action_id: 'note' }, { action_id: ['needs no approvals'] }],
    ] as const)
      expect(await api.refusal(approvals, { ...sent, id, ...body })).toEqual(errors);
    expect(await api.send(approvals, { ...sent, id: 'money', ...by('abel') })).toMatchObject({
      ...{ given: 1, decisions: [{ by: 'abel@acme.test', via: 'via key test' }] },
    });
    // Case: the same person in console and by key counts once.
    await decide('abel', task, { groupId: 'money' });
    expect((await groupOf(task, 'money')).decisions).toHaveLength(1);
  });

  it('are never more than needed and never lost when eight decisions come at once', async () => {
    const group = 'id: all, count: 3, roles: [legal, finance, staff], by: anyone';
    await applyGroups([group]);
    const task = await vendor();
    const names = ['abel', 'bert', 'ines', 'theo'].map((name) => `${name}@acme.test`);
    const sent = { action_id: 'approve', id: 'all', decision: 'approve' };
    const decide = (performed_by: string) =>
      api.post(`${vendors}/${task}/approvals`, { ...sent, performed_by }).expect(200);
    await Promise.all([...names, ...names].map(decide));
    const { given, needed, decisions }: ShownApproval = await groupOf(task, 'all');
    expect([given, needed]).toEqual([3, 3]);
    expect(decisions.map(({ by }) => by).toSorted()).toEqual(names);
    const events = await eventsOf(task);
    expect(events.filter(({ type }) => type === 'approval.complete')).toHaveLength(1);
    // Each was made twice.
    expect(events.filter(({ type }) => type === 'approval.decided')).toHaveLength(4);
  });

  it('make one event if one decision comes three times at once, and one for each other decision', async () => {
    const task = await vendor();
    await applyGroups(['id: legal, roles: [legal], covers: [Amount]']);
    const decided = async (wanted: object, count: number): Promise<void> => {
      await Promise.all([1, 2, 3].map(() => decide('theo', task, wanted)));
      const events = await eventsOf(task);
      expect(events.filter(({ type }) => type === 'approval.decided')).toHaveLength(count);
    };
    await decided({}, 1);
    await decided({ comment: 'Fine' }, 2);
    await decided({ decision: 'reject', comment: 'No' }, 3);
    await decided({ comment: 'Fine' }, 4);
    const { seen } = await groupOf(task);
    await change(task, { Amount: '3' });
    await expect(decide('theo', task, { comment: 'Fine', seen })).rejects.toMatchObject(hasChanged);
  });

  it('at the same time as a change come after the change or are stale', async () => {
    await applyGroups([one]);
    for (let round = 0; round < 3; round += 1) {
      const task = await vendor({ Amount: '1' });
      const { seen } = await groupOf(task);
      const both = [decide('theo', task, { seen }), change(task, { Amount: '2' })];
      const [decided] = await Promise.allSettled(both);
      expect((await groupOf(task)).given).toBe(0);
      if (decided?.status === 'rejected') expect(decided.reason).toMatchObject(hasChanged);
    }
  });

  it('begin where the action is offered, and end with the task: a task created again has none', async () => {
    const task = await vendor({ Stage: 'Draft' });
    await expectRefused(decide('theo', task), 'base', 'Approve is not available in stage Draft');
    await change(task, { Stage: 'Review' });
    await decide('theo', task);
    await api.delete(`${vendors}/${task}`).expect(204);
    await api.post(vendors, { 'Vendor ID': task, Stage: 'Review' }).expect(201);
    expect((await groupOf(task)).decisions).toEqual([]);
  });
});
