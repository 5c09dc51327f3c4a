import { type ShownApproval } from '../../src/approvals/approval.dto.js';
import { InvalidFields } from '../../src/common/field-errors.js';
import { english } from '../../src/common/message.js';
import { inline } from '../support/attachments.js';
import { eventsOf, startApprovals, usualMembers, vendors } from './approvals.js';

const legal = 'id: legal, count: 2, roles: [legal]';
const one = 'id: legal, count: 1, roles: [legal]';
const oneMore = 'needs 1 more approval of legal: ines@acme.test, theo@acme.test may';

const setting = await startApprovals([legal]);

describe('the approvals of a task', () => {
  afterAll(() => setting.stop());

  /** Why a decision is refused, by the fields of what was sent. */
  async function refusal(work: Promise<unknown>): Promise<Record<string, string[]>> {
    const error: unknown = await work.catch((reason: unknown) => reason);
    if (!(error instanceof InvalidFields)) throw new Error('it was not refused', { cause: error });
    return Object.fromEntries(error.fields.map(([name, messages]) => [name, messages.map(english)]));
  }

  async function approve(task: string, performer?: string): Promise<number> {
    const by = performer === undefined ? {} : { performed_by: `${performer}@acme.test` };
    const body = { task_id: task, action_id: 'approve', ...by };
    const path = '/api/v1/workflows/vendors/executions';
    return (await setting.api.post(path, body).set('Prefer', 'wait=10')).status;
  }

  it('are counted, named and said until there are enough; then the action begins', async () => {
    await setting.groups([legal]);
    const task = await setting.vendor();
    const two = 'needs 2 more approvals of legal: ines@acme.test, theo@acme.test may';
    expect(await setting.unmet(task)).toEqual([two]);
    expect(await approve(task)).toBe(422);
    const shown = await setting.decide('theo', task, { comment: 'fine' });
    expect(shown).toMatchObject({
      ...{ action: 'approve', id: 'legal', needed: 2, given: 1, open: ['ines@acme.test'] },
      decisions: [{ by: 'theo@acme.test', for: null, decision: 'approve', comment: 'fine', state: 'counts' }],
    });
    expect(await setting.of(task)).toEqual([shown]);
    expect(await setting.unmet(task)).toEqual(['needs 1 more approval of legal: ines@acme.test may']);
    await setting.decide('ines', task);
    expect(await setting.unmet(task)).toEqual([]);
    expect(await approve(task)).toBe(200);
    expect(await setting.api.read(`${vendors}/${task}`)).toMatchObject({ Stage: 'Done' });
  });

  it('are used up by the action, also where its own steps change what they cover', async () => {
    const step = '{ name: Write, type: update_fields, set: { Note: approved } }';
    await setting.groups([one], { steps: [step] });
    const task = await setting.vendor();
    await setting.decide('theo', task);
    expect(await approve(task)).toBe(200);
    expect(await setting.group(task)).toMatchObject({ given: 0, decisions: [] });
    await setting.change(task, { Stage: 'Review' });
    expect(await setting.unmet(task)).toEqual([oneMore]);
    expect((await eventsOf(setting, task)).map(({ type }) => type)).not.toContain('approval.stale');
  });

  it('become stale by a change of what they cover, also there and back, and as the task leaves its stage', async () => {
    await setting.groups([`${one}, covers: [Amount, Contract]`]);
    const task = await setting.vendor({ Amount: '10' });
    await setting.decide('theo', task);
    await setting.change(task, { Note: 'not covered' });
    expect(await setting.unmet(task)).toEqual([]);
    for (const Amount of ['11', '10']) await setting.change(task, { Amount });
    await setting.change(task, { Contract: [inline('a.txt')] });
    expect(await setting.unmet(task)).toEqual([
      oneMore,
      'an approval is stale: Amount, Contract have changed since',
    ]);
    expect(await approve(task)).toBe(422);
    // One event for each group and write.
    const events = await eventsOf(setting, task);
    expect(events.filter(({ type }) => type === 'approval.stale')).toHaveLength(1);
    await setting.decide('theo', task);
    expect(await setting.unmet(task)).toEqual([]);
    await setting.revisit(task);
    expect(await setting.unmet(task)).toEqual([
      oneMore,
      'an approval is stale: the task has left Review since',
    ]);
  });

  it('become stale by a change of a linked task whose relationship they cover, or of the set of these', async () => {
    await setting.groups([`${one}, covers: [Lines]`, 'id: all, count: 1, roles: [finance]']);
    const lines = '/api/v1/workflows/lines/tasks';
    await setting.api.post(lines, { Line: 'L-1', Price: '5' }).expect(201);
    const task = await setting.vendor({ Lines: [{ Line: 'L-1' }] });
    const { seen } = await setting.group(task);
    await setting.decide('theo', task);
    await setting.decide('abel', task, { groupId: 'all' });
    await setting.api.put(lines, { Line: 'L-1', Stage: 'Closed' }).expect(200);
    expect((await setting.group(task)).given).toBe(1);
    await setting.api.put(lines, { Line: 'L-1', Price: '6' }).expect(200);
    expect((await setting.group(task)).decisions).toMatchObject([
      { state: 'stale', because: 'Lines has changed since' },
    ]);
    expect((await setting.group(task)).seen).not.toBe(seen);
    // All fields and sets of links are covered unless said, but no values of linked tasks.
    expect((await setting.group(task, 'all')).given).toBe(1);
    await setting.api.delete(`${vendors}/${task}/links/Lines/L-1`).expect(204);
    expect((await setting.group(task, 'all')).given).toBe(0);
  });

  it('name the state that was looked at: 412 where a covered file was replaced meanwhile', async () => {
    await setting.groups([`${one}, covers: [Contract]`]);
    const task = await setting.vendor({ Contract: [inline('a.txt', 'one')] });
    const { seen } = await setting.group(task);
    await setting.change(task, { Note: 'not covered' });
    expect((await setting.group(task)).seen).toBe(seen);
    await setting.change(task, { Contract: [inline('a.txt', 'two')] });
    await expect(setting.decide('theo', task, { seen })).rejects.toMatchObject({
      kind: 'precondition-failed',
    });
    expect((await setting.group(task)).decisions).toEqual([]);
    await setting.decide('theo', task, { seen: (await setting.group(task)).seen });
  });

  it('are rejected with a comment: that holds until it is withdrawn or the task changes', async () => {
    await setting.groups([one]);
    const task = await setting.vendor({ Amount: '10' });
    expect(await refusal(setting.decide('ines', task, { decision: 'reject' }))).toEqual({
      comment: ['is required'],
    });
    await setting.decide('ines', task, { decision: 'reject', comment: 'too dear' });
    await setting.decide('theo', task);
    expect(await setting.unmet(task)).toEqual(['was rejected by ines@acme.test: too dear']);
    await setting.decide('ines', task, { decision: 'withdraw' });
    expect(await setting.unmet(task)).toEqual([]);
    expect(await refusal(setting.decide('ines', task, { decision: 'withdraw' }))).toEqual({
      base: ['ines@acme.test has nothing to withdraw'],
    });
    await setting.decide('ines', task, { decision: 'reject', comment: 'still too dear' });
    await setting.change(task, { Amount: '9' });
    await setting.decide('ines', task);
    expect(await setting.unmet(task)).toEqual([]);
  });

  it('of several groups count each person once: a matching', async () => {
    const one = 'id: one, count: 1, users: [abel@acme.test]';
    const two = 'id: two, count: 1, users: [abel@acme.test, bert@acme.test]';
    await setting.groups([two, one]);
    const task = await setting.vendor();
    await setting.decide('abel', task, { groupId: 'two' });
    await setting.decide('abel', task, { groupId: 'one' });
    expect(await setting.unmet(task)).toEqual(['needs 1 more approval of two: bert@acme.test may']);
    await setting.decide('bert', task, { groupId: 'two' });
    expect(await setting.unmet(task)).toEqual([]);
    await setting.groups([two, one], { distinct: false });
    const other = await setting.vendor();
    await setting.decide('abel', other, { groupId: 'two' });
    await setting.decide('abel', other, { groupId: 'one' });
    expect(await setting.unmet(other)).toEqual([]);
  });

  it('cannot be met where too few may: the creator, the editors, the performer', async () => {
    await setting.groups(['id: staff, count: 1, users: [mina@acme.test], not: [creator]']);
    const task = 'made by Mina';
    await setting.write('mina', { 'Vendor ID': task, Stage: 'Review' });
    expect(await setting.unmet(task)).toEqual(['cannot be met: staff needs 1, nobody may']);
    expect(await refusal(setting.decide('mina', task, { groupId: 'staff' }))).toEqual({
      base: ['The creator of the task may not decide this.'],
    });
    // Creating is not editing.
    const staff = 'id: staff, count: 2, roles: [staff], not: [editors], covers: [Amount]';
    await setting.groups([staff]);
    await setting.decide('mina', task, { groupId: 'staff' });
    await setting.write('mina', { 'Vendor ID': task, Note: 'not covered' });
    expect((await setting.group(task, 'staff')).given).toBe(1);
    await setting.write('mina', { 'Vendor ID': task, Amount: '3' });
    await setting.write('rhea', { 'Vendor ID': task, Amount: '4' });
    expect(await setting.unmet(task)).toEqual([
      'cannot be met: staff needs 2, only cleo@acme.test may',
      'an approval is stale: Amount has changed since',
    ]);
    await setting.groups(['id: legal, count: 1, roles: [legal], not: [performer]']);
    const other = await setting.vendor();
    await setting.decide('theo', other);
    expect(await setting.unmet(other)).toEqual([]);
    expect(await setting.unmet(other, 'theo')).toEqual([
      'needs 1 more approval of legal: ines@acme.test may',
    ]);
    expect(await approve(other, 'theo')).toBe(422);
    expect(await approve(other, 'ines')).toBe(200);
  });

  it('count editors from the last success of the action on, also by the events from before it had approvals', async () => {
    await setting.groups(['id: staff, count: 1, roles: [staff], not: [editors]']);
    const task = await setting.vendor();
    await setting.write('mina', { 'Vendor ID': task, Note: 'a' });
    const open = async (): Promise<readonly string[]> => (await setting.group(task, 'staff')).open;
    const others = ['cleo@acme.test', 'rhea@acme.test'];
    expect(await open()).toEqual(others);
    // As if the workflow had got its approvals just now.
    await setting.service.dataSource.query('DELETE FROM task_editors');
    await setting.service.dataSource.query(
      "UPDATE workflows SET approvals_since = clock_timestamp() WHERE slug = 'vendors'",
    );
    expect(await open()).toEqual(others);
    await setting.decide('rhea', task, { groupId: 'staff' });
    expect(await approve(task)).toBe(200);
    await setting.change(task, { Stage: 'Review' });
    expect(await open()).toEqual(['cleo@acme.test', 'mina@acme.test', 'rhea@acme.test']);
  });

  it('count as long as their author may approve: ineligible once the role is gone', async () => {
    await setting.groups([one]);
    const task = await setting.vendor();
    await setting.decide('theo', task);
    await setting.groups([one], {
      members: { ...usualMembers, theo: 'staff' },
    });
    expect((await setting.group(task)).decisions).toMatchObject([
      { state: 'ineligible', because: 'Only legal may decide this.' },
    ]);
    expect(await approve(task)).toBe(422);
    await setting.groups([one]);
    expect(await approve(task)).toBe(200);
  });

  it('are needed where `when` is true, and cannot be met where it cannot be evaluated', async () => {
    const group = `id: legal, count: 1, roles: [legal], covers: [Note], when: 'task["Amount"] > 100'`;
    await setting.groups([group]);
    const cheap = await setting.vendor({ Amount: '5' });
    expect(await setting.group(cheap)).toMatchObject({ needed: 0, given: 0, open: [] });
    expect(await refusal(setting.decide('theo', cheap))).toEqual({ base: ['is not needed'] });
    expect(await approve(cheap)).toBe(200);
    const dear = await setting.vendor({ Amount: '500' });
    await setting.decide('theo', dear);
    expect(await setting.unmet(dear)).toEqual([]);
    // What it reads is always covered.
    await setting.change(dear, { Amount: '600' });
    expect((await setting.group(dear)).decisions).toMatchObject([{ because: 'Amount has changed since' }]);
    const blank = await setting.vendor();
    expect(await setting.unmet(blank)).toEqual(['legal: when could not be evaluated']);
  });

  it('are given by people who are signed in, and by keys only where the group lets anyone', async () => {
    await setting.groups([one, 'id: money, count: 1, roles: [finance], by: anyone']);
    const task = await setting.vendor();
    const approvals = `${vendors}/${task}/approvals`;
    const sent = { action_id: 'approve', decision: 'approve' };
    const refused = async (id: string, errors: object, body: object = {}): Promise<void> => {
      expect(await setting.api.refusal(approvals, { ...sent, id, ...body })).toEqual(errors);
    };
    const by = (name: string): object => ({ performed_by: `${name}@acme.test` });
    await refused('legal', { base: ['is decided by people who are signed in, not by keys'] }, by('theo'));
    await refused('money', { performed_by: ['is required'] });
    await refused('money', { performed_by: ['is not a user of this workspace'] }, by('nobody'));
    await refused('money', { base: ['Only money may decide this.'] }, by('theo'));
    await refused('nothing', { id: ['is not a group of approve'] });
    await refused('money', { action_id: ['needs no approvals'] }, { action_id: 'note' });
    expect(await setting.api.send(approvals, { ...sent, id: 'money', ...by('abel') })).toMatchObject({
      ...{ given: 1, decisions: [{ by: 'abel@acme.test', via: 'via key test' }] },
    });
    // Case: the same person in console and by key counts once.
    await setting.decide('abel', task, { groupId: 'money' });
    expect((await setting.group(task, 'money')).decisions).toHaveLength(1);
  });

  it('are never more than needed and never lost when eight decisions come at once', async () => {
    const group = 'id: all, count: 3, roles: [legal, finance, staff], by: anyone';
    await setting.groups([group]);
    const task = await setting.vendor();
    const names = ['abel', 'bert', 'ines', 'theo'].map((name) => `${name}@acme.test`);
    const sent = { action_id: 'approve', id: 'all', decision: 'approve' };
    const decide = (performed_by: string) =>
      setting.api.post(`${vendors}/${task}/approvals`, { ...sent, performed_by }).expect(200);
    await Promise.all([...names, ...names].map(decide));
    const { given, needed, decisions }: ShownApproval = await setting.group(task, 'all');
    expect([given, needed]).toEqual([3, 3]);
    expect(decisions.map(({ by }) => by).toSorted()).toEqual(names);
    const events = await eventsOf(setting, task);
    expect(events.filter(({ type }) => type === 'approval.complete')).toHaveLength(1);
    // Each was made twice.
    expect(events.filter(({ type }) => type === 'approval.decided')).toHaveLength(4);
  });

  it('make one event where the same decision comes three times at once; another one makes its own', async () => {
    const task = await setting.vendor();
    const decided = async (group: string, wanted: object, count: number): Promise<void> => {
      await setting.groups([`id: legal, roles: [legal], covers: [Amount]${group}`]);
      await Promise.all([1, 2, 3].map(() => setting.decide('theo', task, wanted)));
      const events = await eventsOf(setting, task);
      expect(events.filter(({ type }) => type === 'approval.decided')).toHaveLength(count);
    };
    await decided('', {}, 1);
    await decided('', { comment: 'Fine' }, 2);
    await decided(', expires: 3 days', { comment: 'Still fine' }, 3);
    await decided('', { decision: 'reject', comment: 'No' }, 4);
    // Made again later, it lasts longer.
    await decided(', expires: 3 days', { comment: 'Fine' }, 5);
    await setting.service.settle({ after: 3_600_000 });
    await decided(', expires: 3 days', { comment: 'Fine' }, 6);
    const { seen } = await setting.group(task);
    await setting.change(task, { Amount: '3' });
    await expect(setting.decide('theo', task, { comment: 'Fine', seen })).rejects.toMatchObject({
      kind: 'precondition-failed',
    });
  });

  it('of a change and an approval at the same time: either the change comes first, or the approval is stale', async () => {
    await setting.groups([one]);
    for (let round = 0; round < 3; round += 1) {
      const task = await setting.vendor({ Amount: '1' });
      const { seen } = await setting.group(task);
      const [decided] = await Promise.allSettled([
        setting.decide('theo', task, { seen }),
        setting.change(task, { Amount: '2' }),
      ]);
      expect((await setting.group(task)).given).toBe(0);
      if (decided.status === 'rejected')
        expect(decided.reason).toMatchObject({ kind: 'precondition-failed' });
    }
  });

  it('begin where the action is offered, and end with the task: one made anew has none', async () => {
    const task = await setting.vendor({ Stage: 'Draft' });
    expect(await refusal(setting.decide('theo', task))).toEqual({
      base: ['Approve is not available in stage Draft'],
    });
    await setting.change(task, { Stage: 'Review' });
    await setting.decide('theo', task);
    await setting.api.delete(`${vendors}/${task}`).expect(204);
    await setting.api.post(vendors, { 'Vendor ID': task, Stage: 'Review' }).expect(201);
    expect((await setting.group(task)).decisions).toEqual([]);
  });
});
