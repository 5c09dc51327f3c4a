import { type Answer, type Browser, fieldsOf, follow, pageOf, servedTo, texts } from '../support/console.js';

// people.md, 1: approvals on the pages; tried as requester, approver and administrator.
describe('approvals on the pages', () => {
  const vendors = '/api/v1/workflows/vendors/tasks';
  let count = 0;
  const { api, mina, theo, ines } = servedTo(
    ['mina', 'theo', 'ines'],
    `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }, { email: ines@acme.test }, { email: otto@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: In Review }, { name: Approved, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Amount, type: currency }
    roles:
      - { id: admin, name: Admin, admin: true }
      - { id: legal, name: Legal, actions: [approve] }
    members:
      - { email: mina@acme.test, role: admin }
      - { email: theo@acme.test, role: legal }
      - { email: ines@acme.test, role: legal }
    actions:
      - id: approve
        name: Approve
        stages: [In Review]
        requirements: { approvals: { of: [{ id: legal, count: 2, roles: [legal] }] } }
        steps: [{ name: Move, type: move_to_stage, stage: Approved }]
  - id: deals
    name: Deals
    stages: [{ name: Open }, { name: Signed, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Name, type: text }, { name: Due, type: date }]
    clocks: [{ id: sign, due: { field: Due } }]
    roles: [{ id: admin, name: Admin, admin: true }]
    members: [{ email: mina@acme.test, role: admin }]
    actions:
      - id: sign
        name: Sign
        stages: [Open]
        requirements: { assigned: true, approvals: { of: [{ id: two, count: 2, roles: [admin] }, { id: one, roles: [admin] }] } }
        steps: [{ name: Move, type: move_to_stage, stage: Signed }]
  - id: loans
    name: Loans
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions: [{ id: pay, name: Pay, requirements: { approvals: { of: [{ id: one, users: [theo@acme.test] }, { id: two, users: [theo@acme.test, ines@acme.test] }] } } }]
`,
  );

  async function create(): Promise<string> {
    count += 1;
    return pageOf(await api.post(vendors, { ID: `V-${count}`, Amount: 5 }).expect(201));
  }

  const createDeal = async (values: object): Promise<string> =>
    pageOf(await api.post('/api/v1/workflows/deals/tasks', values).expect(201));

  /** Fills in the form of the group on the page, and sends it. */
  async function decide(
    by: Browser,
    path: string,
    decision: string,
    comment = '',
    page?: Answer,
  ): Promise<Answer> {
    const { html } = page ?? (await by.get(path));
    const form = fieldsOf(html.querySelector('.approval form.decide'));
    return by.post(`${path}/approvals`, { ...form, decision, comment });
  }

  const cardOf = ({ html }: Answer): string =>
    (html.querySelector('.task-side')?.text ?? '').replaceAll(/\s+/g, ' ').trim();

  it('the card says who must approve, who has, and what has changed; then the action goes on', async () => {
    const path = await create();
    expect(cardOf(await mina.get(path))).toMatch(/0 of 2 approved ?Waits for .?ines, .?theo/);
    expect((await theo.get('/')).html.text).toContain('Waiting for my decision');
    expect((await decide(theo, path, 'approve', 'Looks right')).status).toBe(303);
    expect(cardOf(await mina.get(path))).toMatch(/1 of 2 approved ?Waits for .?ines.*Looks right/);
    const early = await ines.post(`${path}/actions/approve`);
    expect(early.textOf('.notice.bad')).toContain('needs 1 more approval of legal: you may');

    await api.put(vendors, { ID: `V-${count}`, Amount: 50_000 }).expect(200);
    expect(cardOf(await mina.get(path))).toContain('no longer counts');
    await decide(theo, path, 'approve');
    await decide(ines, path, 'approve');
    const done = await ines.post(`${path}/actions/approve`);
    expect(done.status).toBe(303);
    expect((await api.get(`${vendors}/V-${count}`).expect(200)).body).toMatchObject({ Stage: 'Approved' });
    const history = (await mina.get(path)).textOf('#time-line');
    expect(history).toContain('completed the approvals');
    expect(history).toContain('ended an approval, because what it covers changed:');
    // Ten days later an auditor reads who decided what, on what, and why it counted, or did not.
    const evidence = texts(await mina.get(path), '#past-decisions tbody tr');
    expect(evidence).toEqual([
      expect.stringMatching(/Approve.*legal.*ines.*approved counted.*all fields and links/),
      expect.stringMatching(/Approve.*legal.*theo.*approved counted/),
      expect.stringMatching(/theo.*did not count.*Looks right.*Amount has changed since/),
    ]);
  });

  it('a person whom another group needs can still decline', async () => {
    const path = pageOf(await api.post('/api/v1/workflows/loans/tasks', { ID: 'L-1' }).expect(201));
    expect(texts(await theo.get(path), 'form.decide button')).toEqual([
      'Give approval',
      'Decline',
      'Decline',
    ]);
  });

  it.each(['', 'maybe'])('refuses the decision “%s”', async (decision) => {
    const path = await create();
    const refused = await decide(theo, path, decision);
    expect(refused.status).toBe(422);
    expect(refused.textOf('.notice.bad')).toContain('The decision is not one of: approve, reject, withdraw');
    expect(cardOf(await mina.get(path))).toContain('0 of 2 approved');
  });

  it('a missing approval is said once: the next action leads to the card, which names people', async () => {
    const path = await create();
    const page = await ines.get(path);
    expect(texts(page, '#next-action .impossible li')).toEqual(['Approvals are missing']);
    expect(page.hrefOf('.impossible li a')).toBe('#next-action');
    expect(page.textOf('.task-side').match(/theo/g)).toHaveLength(1);
    await decide(theo, path, 'reject', 'Too dear');
    const declined = await ines.get(path);
    expect(texts(declined, '#next-action .impossible li')).toEqual(['Approvals are missing: theo declined']);
    expect(cardOf(declined)).not.toContain('Waits for');
    await api.put(vendors, { ID: `V-${count}`, 'Assigned To': 'theo@acme.test' }).expect(200);
    expect(texts(await theo.get('/'), '#later .row-next')).toEqual(['needs Approvals']);

    const deal = await mina.get(await createDeal({ ID: 'D-1', Name: 'Harbour' }));
    expect(texts(deal, '#next-action .impossible li')).toEqual([
      expect.stringContaining('Must be assigned'),
      'Approvals are missing',
    ]);
    expect(texts(deal, '.approval > .fault')).toEqual([
      'cannot be met: two needs 2, but only you may approve',
      'cannot be met: one needs 1, but only you may approve',
    ]);
  });

  it('the first page names and counts the tasks that wait for a decision, and leads to all', async () => {
    const path = await createDeal({ ID: 'D-2', Name: 'Juniper', Due: '2020-01-01' });
    const few = await mina.get('/');
    const named = texts(few, '#decisions .work-row').filter((row) => row.startsWith('D-2'));
    expect(named).toEqual([
      expect.stringMatching(/^D-2 Juniper Approval: two, 0 of 2; Approval: one, 0 of 1 .* Overdue /),
    ]);
    expect(few.attributesOf('#decisions a', 'href')).toContain(`${path}#approval-sign-two`);

    for (let at = 0; at < 11; at += 1) await createDeal({ ID: `N-${at}` });
    const home = await mina.get('/');
    const [all = ''] = texts(home, '#decisions .more a');
    const count = Number(/^All (\d+)$/.exec(all)?.[1]);
    expect(texts(home, '#decisions .count')).toEqual([String(count)]);
    expect(texts(home, '#decisions .work-row')).toHaveLength(10);
    const link = home.hrefOf('#decisions .more a');
    expect(texts(await mina.get(link), '.work-row')).toHaveLength(count);
    expect((await mina.get('/?waiting=1.x')).status).toBe(404);

    // Each deal has two groups, and a page has 100 groups.
    await Promise.all(Array.from({ length: 60 }, (_, at) => createDeal({ ID: `M-${at}` })));
    const [first, more] = [await mina.get('/'), await mina.get(link)];
    expect(texts(first, '#decisions .count, #decisions .more a')).toEqual(['50+', 'All 50+']);
    const rest = await mina.get(more.hrefOf('#decisions .more a'));
    const found = [more, rest].flatMap((page) => texts(page, '.work-row'));
    expect([new Set(found).size, found.length]).toEqual([count + 60, count + 60]);
    expect(texts(rest, '#decisions .more a')).toEqual([]);
  });

  it('a decision on a changed task asks the reader to look again', async () => {
    const path = await create();
    const page = await theo.get(path);
    await api.put(vendors, { ID: `V-${count}`, Amount: 6 }).expect(200);
    const refused = await decide(theo, path, 'approve', 'seen', page);
    expect(refused.status).toBe(409);
    expect(refused.textOf('.notice')).toContain('has changed since you opened it');
    expect(refused.textOf('.decide textarea')).toBe('seen');
  });

  it('a reader who may not decide is told why', async () => {
    const path = await create();
    const page = await mina.get(path);
    expect(cardOf(page)).toContain('Only legal may decide this.');
    expect(page.html.querySelector('.approval form.decide')).toBeNull();
    const forged = { action_id: 'approve', id: 'legal', decision: 'approve' };
    expect((await mina.post(`${path}/approvals`, forged)).status).toBe(422);
  });

  it('a user enters an absence and a deputy', async () => {
    const away = { from: '2020-01-01', until: '2100-01-01', to: 'mina@acme.test' };
    const account = await theo.get('/account');
    expect(account.attributeOf('#away-to', 'aria-required')).toBe('true');
    expect(account.attributesOf('#away-to option[selected]', 'value')).toEqual([]);
    for (const wrong of [{ to: '' }, { until: '2020-02-01' }])
      expect((await theo.post('/account/absence', { ...away, ...wrong })).status).toBe(422);
    const blind = await follow(theo, await theo.post('/account/absence', { ...away, to: 'otto@acme.test' }));
    expect(texts(blind, '#absence .fault')).toEqual([
      expect.stringMatching(/^otto .* all tasks of Vendors, /),
    ]);
    expect((await follow(theo, await theo.post('/account/absence', away))).textOf('.notice')).toBe('Done.');
    expect(texts(await theo.get('/account'), '#absence .fault')).toEqual([]);
    expect(texts(await theo.get('/account'), '#absence > p')).toContain(
      'Away from Jan 1, 2020, back on Jan 1, 2100; mina decides.',
    );
    const path = await create();
    expect((await mina.get(path)).html.text).toContain('You decide for theo, who is away.');
    expect(cardOf(await ines.get(path))).toMatch(/Waits for .*theo \(away until Jan 1, 2100\)/);
    await decide(mina, path, 'approve');
    expect(cardOf(await ines.get(path))).toContain('approved for theo');
    expect((await ines.get(path)).textOf('#time-line').replace(/\s+/g, ' ')).toMatch(
      /approved legal for .?theo/,
    );
    expect((await theo.post('/account/absence', { clear: 'yes' })).status).toBe(303);
    expect((await theo.get('/account')).html.text).not.toContain('Away from');
  });
});
