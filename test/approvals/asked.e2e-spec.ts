import { type ApprovalEvent, startApprovals, vendors } from './approvals.js';

const legal = 'id: legal, count: 1, roles: [legal], covers: [Amount]';
const away = (from: string, until: string, to: string): string =>
  `{ from: ${from}, until: ${until}, to: ${to}@acme.test }`;
const always = (to: string): string => away('2020-01-01', '2999-01-01', to);

const mail = { WTS_SMTP_URL: 'smtp://127.0.0.1:1', WTS_MAIL_FROM: 'wts@acme.test' };
const setting = await startApprovals([legal], {}, mail);
const { service, api, applyGroups, groupOf, vendor, decide, change, revisit, perform } = setting;
const { eventsOf, openFor, write, groupsOf, unmet } = setting;

describe('who may approve', () => {
  /** The events of a type, of which there are so many when all is followed. */
  async function events(task: string, type: string, count: number): Promise<ApprovalEvent['data'][]> {
    await service.settle();
    const found = (await eventsOf(task)).filter((event) => event.type === `approval.${type}`);
    expect(found).toHaveLength(count);
    return found.map(({ data }) => data);
  }

  it('are asked once for each visit and state, group by group', async () => {
    await applyGroups([legal, 'id: money, count: 1, roles: [finance], covers: [Note]']);
    const task = await vendor();
    expect(await events(task, 'requested', 2)).toMatchObject([
      { approval: { action: 'approve', id: 'legal' } },
      { approval: { action: 'approve', id: 'money' } },
    ]);
    await decide('theo', task);
    await decide('abel', task, { groupId: 'money' });
    await change(task, { Amount: '7' });
    expect(await events(task, 'requested', 3)).toMatchObject([{}, {}, { approval: { id: 'legal' } }]);
    await revisit(task);
    await events(task, 'requested', 5);
  });

  it('are asked once a visit if a change makes a group necessary in the stage', async () => {
    await applyGroups([legal, `id: money, count: 1, roles: [finance], when: 'task["Amount"] > 100'`]);
    const task = await vendor({ Amount: '5' });
    await events(task, 'requested', 1);
    for (const Amount of ['500', '5', '600']) await change(task, { Amount });
    await change(task, { Note: 'seen' });
    expect(await events(task, 'requested', 2)).toMatchObject([{}, { approval: { id: 'money' } }]);
    await revisit(task);
    await events(task, 'requested', 4);
  });

  it('are asked again if a new definition covers more, and the plan counts the stale approvals', async () => {
    await applyGroups([legal]);
    const task = await vendor();
    await events(task, 'requested', 1);
    await decide('theo', task);
    const covering = (covers: string): string => `
workspace: { id: acme }
workflows:
  - id: vendors
    name: Vendors
    actions:
      - { id: approve, name: Approve, stages: [Review], requirements: { approvals: { of: [{ id: legal, roles: [legal], covers: [${covers}] }] } } }`;
    expect((await service.plan(covering('Amount'))).effects).toEqual([]);
    const { effects } = await service.plan(covering('Amount, Note'));
    const message = expect.stringMatching(
      /^\d+ approvals? will be stale ⚠ because legal now covers more$/,
    ) as string;
    expect(effects).toMatchObject([{ kind: 'notes', name: 'vendors / approve', message }]);
    for (let n = 1; n <= 2; n += 1) await service.apply(covering('Amount, Note'));
    // The approval is stale already.
    expect((await service.plan(covering('Amount, Note, Owner'))).effects).toEqual([]);
    const renamed = '    fields: [{ name: Comment, was: Note, type: text }]\n    actions:';
    const same = covering('Comment, Amount').replace('    actions:', renamed);
    expect((await service.plan(same)).effects).toEqual([]);
    await events(task, 'stale', 1);
    expect(await events(task, 'requested', 2)).toMatchObject([
      {},
      { approval: { action: 'approve', id: 'legal' } },
    ]);
    expect(await groupOf(task)).toMatchObject({
      given: 0,
      decisions: [{ because: 'the definition now covers more' }],
    });
  });

  it('are named by events, with their decisions', async () => {
    await applyGroups(['id: legal, count: 2, roles: [legal]']);
    const task = await vendor();
    await decide('theo', task, { comment: 'fine' });
    await decide('ines', task);
    await change(task, { Amount: '7' });
    const told = (await eventsOf(task)).filter(({ type }) => type !== 'approval.requested');
    const first = { by: 'theo@acme.test', comment: 'fine', decision: 'approve' };
    const second = { by: 'ines@acme.test', comment: null };
    const of = { action: 'approve', id: 'legal', for: null };
    expect(told.map(({ type, data }) => [type, data.actor.id, data.approval])).toEqual([
      ['approval.decided', first.by, { ...of, ...first }],
      ['approval.decided', second.by, { ...of, ...second, decision: 'approve' }],
      ['approval.complete', second.by, { ...of, ...second }],
      ['approval.stale', expect.any(String), { ...of, ...first }],
    ]);
  });

  it('start rules: when an approval is complete, rejected or stale', async () => {
    const rule = (on: string, more = ''): string => `id: on-${on}, on: approval_${on}, run: note${more}`;
    await applyGroups([legal, 'id: money, count: 1, roles: [finance], covers: [Amount]'], {
      rules: [
        rule('complete', `, when: 'approval["by"] == "abel@acme.test"'`),
        rule('rejected', `, when: 'approval["comment"] == "no"'`),
        rule('stale'),
      ],
    });
    const task = await vendor();
    const runs = async (): Promise<string[]> =>
      (await api.read<{ by: { id: string } }[]>(`${vendors}/${task}/runs`)).map(({ by }) => by.id).reverse();
    await decide('theo', task);
    await decide('abel', task, { groupId: 'money' });
    await service.settle();
    expect(await runs()).toHaveLength(1);
    // Withdrawn and given again in the same state: nothing new.
    await decide('abel', task, { groupId: 'money', decision: 'withdraw' });
    await decide('abel', task, { groupId: 'money' });
    for (let twice = 0; twice < 2; twice += 1) {
      await decide('bert', task, { groupId: 'money', decision: 'reject', comment: 'no' });
      await decide('bert', task, { groupId: 'money', decision: 'withdraw' });
    }
    await change(task, { Amount: '7' });
    await service.settle();
    // An approval of each group has become stale.
    expect(await runs()).toEqual(['on-complete', 'on-rejected', 'on-stale', 'on-stale']);
  });

  it('do not include a user whose change triggered the rule that edited the task', async () => {
    await applyGroups(['id: staff, count: 1, roles: [staff], not: [editors], covers: [Note]'], {
      rules: ['id: noting, on: field_changed, field: Amount, run: note'],
    });
    const task = await vendor();
    await write('mina', { 'Vendor ID': task, Amount: '3' });
    await service.settle();
    expect((await groupOf(task, 'staff')).open).toEqual(['cleo@acme.test', 'rhea@acme.test']);
  });

  it('do not include a user whose action set the timer that edited the task', async () => {
    const group = 'id: money, users: [otto@acme.test, abel@acme.test], not: [editors], covers: [Amount]';
    const remind = '{ name: Later, type: schedule_action, action: rate, after: 1 minute }';
    await applyGroups([group], { remind });
    const task = await vendor();
    await perform(task, 'remind', 'otto');
    await service.settle();
    await service.settle({ after: 120_000 });
    expect(await api.read(`${vendors}/${task}`)).toMatchObject({ Amount: '1.00' });
    expect((await groupOf(task, 'money')).open).toEqual(['abel@acme.test']);
  });

  it('have a deputy while they are away, who decides in their name', async () => {
    const group = 'id: money, count: 2, users: [abel@acme.test, bert@acme.test]';
    await applyGroups([group], { away: { abel: always('mina') } });
    const task = await vendor();
    const all = ['abel@acme.test', 'bert@acme.test', 'mina@acme.test'];
    expect((await groupOf(task, 'money')).open).toEqual(all);
    const shown = await decide('mina', task, { groupId: 'money' });
    expect(shown).toMatchObject({
      given: 1,
      open: ['bert@acme.test'],
      decisions: [{ by: 'mina@acme.test', for: 'abel@acme.test' }],
    });
    // Who is away may still decide, in place of their deputy.
    const own = await decide('abel', task, { groupId: 'money' });
    expect(own.decisions).toMatchObject([{ by: 'abel@acme.test', for: null }]);
    const fields = [['base', [expect.objectContaining({ args: ['money'] })]]];
    await expect(decide('mina', task, { groupId: 'money' })).rejects.toMatchObject({ fields });
  });

  it('have no deputy whom another group needs: whoever can still decide stays asked', async () => {
    const legal = 'id: legal, users: [mina@acme.test]';
    const both = [legal.replace(']', ', bert@acme.test]'), 'id: money, users: [abel@acme.test]'];
    await applyGroups(both, { away: { abel: always('mina') } });
    const early = await vendor();
    await decide('mina', early, { groupId: 'money' });
    await applyGroups([legal, both[1] ?? ''], { away: { abel: always('mina') } });
    const task = await vendor();
    const open = async (id: string): Promise<readonly (readonly string[])[]> =>
      (await groupsOf(id)).map((group) => group.open);
    // Neither first nor last may Mina take the place of Abel.
    expect(await open(task)).toEqual([['mina@acme.test'], ['abel@acme.test']]);
    const fields = [['base', ['A person counts for one group only, and another group needs this person.']]];
    const money = { groupId: 'money' };
    await expect(decide('mina', task, money)).rejects.toMatchObject({ fields });
    await decide('mina', task);
    await expect(decide('mina', task, money)).rejects.toMatchObject({ fields });
    expect(await open(task)).toEqual([[], ['abel@acme.test']]);
    // Mina has decided for Abel while Bert could decide for legal: Abel is asked again.
    await decide('mina', early);
    expect(await open(early)).toEqual([[], ['abel@acme.test']]);
    expect(await unmet(early)).toEqual(['needs 1 more approval of money: abel@acme.test may']);
    const waiting = (await openFor('abel')).flat().map(({ approvals }) => approvals.task.uniqueValue);
    expect(waiting.slice(-2)).toEqual([early, task]);
    await decide('abel', early, money);
    expect(await unmet(early)).toEqual([]);
  });

  it('cannot have the requester as a deputy', async () => {
    const group = 'id: staff, count: 1, users: [cleo@acme.test], not: [creator]';
    await applyGroups([group], { away: { cleo: always('mina') } });
    const task = 'made by Mina';
    await write('mina', { 'Vendor ID': task, Stage: 'Review' });
    expect((await groupOf(task, 'staff')).open).toEqual(['cleo@acme.test']);
    await expect(decide('mina', task, { groupId: 'staff' })).rejects.toThrow('invalid fields');
  });

  it('cannot be their own deputy, be away for no time, or have an unknown deputy', async () => {
    for (const [absence, message] of [
      [always('abel'), 'is the user who is away'],
      [away('2026-12-15', '2026-12-15', 'bert'), 'is not after the first day away'],
      [always('nobody'), 'is not a user of this workspace'],
    ] as const)
      await expect(applyGroups([legal], { away: { abel: absence } })).rejects.toThrow(message);
  });

  it('find all tasks that wait for them in one list: by roles, name, field or as deputies', async () => {
    await applyGroups(['id: legal, count: 1, roles: [legal]', 'id: owner, count: 1, field: Owner'], {
      away: { bert: always('cleo') },
    });
    const owned = await vendor({ Owner: 'bert@acme.test' });
    const done = await vendor({ Owner: 'bert@acme.test', Stage: 'Done' });
    const draft = await vendor({ Owner: 'bert@acme.test', Stage: 'Draft' });
    const tasksOf = async (who: string, limit?: number): Promise<(string | null)[][]> =>
      (await openFor(who, limit)).map((page) => page.map(({ approvals }) => approvals.task.uniqueValue));
    expect(await tasksOf('bert')).toEqual([[owned]]);
    expect(await tasksOf('cleo')).toEqual([[owned]]);
    expect(await tasksOf('mina')).toEqual([[]]);
    expect(await openFor('bert')).toMatchObject([[{ group: { id: 'owner', count: 1, given: 0 } }]]);
    await decide('bert', owned, { groupId: 'owner' });
    expect(await tasksOf('bert')).toEqual([[]]);
    const all = (await tasksOf('theo')).flat();
    expect(all).toContain(owned);
    expect(all).not.toContain(done);
    expect(all).not.toContain(draft);
    // Page by page it is the same list.
    const pages = await tasksOf('theo', 3);
    expect(pages[0]).toHaveLength(3);
    expect(pages.flat()).toEqual(all);
  });
});
