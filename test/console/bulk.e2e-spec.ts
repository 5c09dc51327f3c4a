import {
  type Answer,
  type Browser,
  type Fields,
  follow,
  servedTo,
  signIn,
  texts,
} from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: ines@acme.test, first_name: Ines }
  - { email: rita@acme.test, first_name: Rita }
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Checked }, { name: Paid, enter: by_actions }, { name: Closed, end: true, enter: by_actions }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Amount, type: number, max: 1000 }
      - { name: Reason, type: text }
      - { name: Urgent, type: checkbox }
    roles:
      - { id: all, name: All, admin: true }
      - { id: agent, name: Agent, edits: assigned, moves: by_actions, actions: [pay] }
      - { id: guest, name: Guest, edits: none, actions: [] }
    members:
      - { email: mina@acme.test, role: all }
      - { email: ines@acme.test, role: agent }
      - { email: rita@acme.test, role: guest }
    actions:
      - { id: pay, name: Pay, stages: [Checked], requirements: { required_fields: [Amount] }, steps: [{ name: Pay, type: move_to_stage, stage: Paid }] }
      - { id: add, name: Add, steps: [{ name: Add, type: update_fields, set: { Amount: { expression: 'task["Amount"] + 1' } } }] }
      - { id: drop, name: Drop, requirements: { confirmation: Really drop them? }, steps: [{ name: Close, type: move_to_stage, stage: Closed }] }
      - { id: refuse, name: Refuse, fields: [{ field: Reason, required: true }] }
      - { id: ruled, name: Ruled, start: by_rules }
  - id: bills
    name: Bills
    stages: [{ name: Open }]
    fields: [{ name: Bill, type: text }]
`;

describe('several tasks of a list at once', () => {
  const { service, api, mina } = servedTo(['mina'], acme);
  const list = '/workflows/claims/list';
  const tasks = '/api/v1/workflows/claims/tasks';

  const put = (id: string, values: object): Promise<unknown> =>
    api.send(tasks, { 'Claim ID': id, ...values });
  const make = async (values: Readonly<Record<string, object>>): Promise<void> => {
    for (const [id, of] of Object.entries(values)) await put(id, of);
  };
  const value = async (id: string, name: string): Promise<unknown> =>
    (await api.read<Record<string, unknown>>(`${tasks}/${id}`))[name];
  const stale = 'not changed, because you or somebody else changed it since; its current values are shown';
  /** What the boxes of these tasks send, as this page has them. */
  const boxes = (page: Answer, ...ids: readonly string[]): string[] =>
    ids.map((id) => page.attributeOf(`[name=task][aria-label="${id}"]`, 'value'));
  const chosen = (page: Answer): string[] => page.attributesOf('[name=task][checked]', 'aria-label');
  /** What the page says: of all, then of each that was refused. */
  const said = ({ html }: Answer): string[] => {
    const notice = html.querySelector('.notices .notice');
    const all = notice?.querySelector(':scope > span')?.text ?? '';
    return [all, ...(notice?.querySelectorAll('li').map(({ text }) => text) ?? [])];
  };
  const offers = (page: Answer): string[] => texts(page, '#bulk [name=ask]');
  /** What a menu says of these tasks: its title, and each choice with what would happen. */
  const asked = async (browser: Browser, ask: string, ids: readonly string[]): Promise<string[]> => {
    const { html } = await send(browser, await browser.get(list), ids, { ask });
    const choices = html.querySelectorAll('dialog[open] button[form=bulk]');
    const title = html.querySelector('dialog[open] h2')?.text ?? '';
    return [title, ...choices.map((each) => `${each.text.trim()}${each.hasAttribute('disabled') ? ' (off)' : ''}`)]; // prettier-ignore
  };
  const send = (
    browser: Browser,
    page: Answer,
    ids: readonly string[],
    change: Fields,
    path = list,
  ): Promise<Answer> => {
    const once = page.attributeOf('#bulk [name=once]', 'value');
    return browser.post(path, { task: boxes(page, ...ids), once, ...change });
  };
  const undoIn = (page: Answer): string => page.attributeOf('.notice [name=undo]', 'value') || 'no undo';
  /** Does this to these tasks of the list as it is, and shows the page that follows. */
  const act = async (ids: readonly string[], change: Fields, browser = mina): Promise<Answer> =>
    follow(browser, await send(browser, await browser.get(list), ids, change));

  it('are assigned and moved, with a notice of how many, and the same page is shown again', async () => {
    await make({ 'A-1': {}, 'A-2': { 'Assigned To': 'ines@acme.test' }, 'A-3': {} });
    const path = `${list}?Claim+ID%5Bcontains%5D=A-&_sort=-Claim+ID`;
    const page = await mina.get(path);
    expect(page.attributeOf('#bulk', 'action')).toBe(path);
    const assigned = await send(mina, page, ['A-1', 'A-2'], { assign: 'ines@acme.test' }, path);
    const shown = await follow(mina, assigned);
    expect([said(shown), chosen(shown), shown.html.querySelectorAll('tbody tr').length]).toEqual([['1 changed, 1 unchanged'], [], 3]); // prettier-ignore
    expect([await value('A-1', 'Assigned To'), await value('A-3', 'Assigned To')]).toEqual(['ines@acme.test', null]); // prettier-ignore
    expect(said(await follow(mina, await send(mina, shown, ['A-1', 'A-2'], { assign: '' })))).toEqual(['2 changed']); // prettier-ignore
    expect(await value('A-1', 'Assigned To')).toBeNull();
    expect(said(await act(['A-1', 'A-2', 'A-3'], { stage: 'Checked' }))).toEqual(['3 changed']);
    expect(await value('A-3', 'Stage')).toBe('Checked');
    const { text } = await api.get(`${tasks}/A-3/history`);
    expect(text).toContain('"actor":{"kind":"user","id":"mina@acme.test"');
    for (const told of ['_done=1000.0.0', '_done=x', '_done=0.0.0', '_done='])
      expect(said(await mina.get(`${list}?${told}`))).toEqual(['']);
  });

  it('are not overwritten: a changed task is refused, stays selected and is shown as it is now', async () => {
    await make({ 'B-1': {}, 'B-2': {} });
    const page = await mina.get(list);
    await put('B-1', { Amount: 5 });
    const answer = await send(mina, page, ['B-1', 'B-2'], { stage: 'Checked' });
    expect([answer.status, said(answer), chosen(answer)]).toEqual([422, ['1 changed, 1 refused', `B-1: ${stale}`], ['B-1']]); // prettier-ignore
    expect(answer.attributesOf('tbody td:first-child a', 'href')).toContain(answer.hrefOf('#refusal a'));
    expect([await value('B-1', 'Stage'), await value('B-2', 'Stage')]).toEqual(['New', 'Checked']);
    expect(said(await follow(mina, await send(mina, answer, ['B-1'], { stage: 'Checked' })))).toEqual(['1 changed']); // prettier-ignore
    expect((await mina.post(list, { task: boxes(page, 'B-1'), stage: 'New' })).status).toBe(422);
  });

  it('each run an action as if alone, and the same form twice runs it once', async () => {
    await make({ 'C-1': { Amount: 1, Stage: 'Checked' }, 'C-2': { Stage: 'Checked' }, 'C-3': { Amount: 3 } });
    const page = await mina.get(list);
    const answer = await send(mina, page, ['C-1', 'C-2', 'C-3'], { action: 'pay' });
    expect([answer.status, said(answer), chosen(answer)]).toEqual([
      422,
      ['1 changed, 2 refused', 'C-2: Amount is required', 'C-3: Pay is not available in stage New'],
      ['C-2', 'C-3'],
    ]);
    expect(await value('C-1', 'Stage')).toBe('Paid');
    const twice = await mina.get(list);
    await Promise.all([1, 2, 3].map(() => send(mina, twice, ['C-3'], { action: 'add' })));
    expect(await value('C-3', 'Amount')).toBe('4');
    expect(said(await send(mina, twice, ['C-3'], { action: 'add' }))[0]).toBe('1 refused');
    expect(await value('C-3', 'Amount')).toBe('4');
    // An action that ends without success tells why.
    await put('C-3', { Amount: 1000 });
    const failed = await send(mina, await mina.get(list), ['C-3', 'C-1'], { action: 'add' });
    expect(said(failed)).toEqual(['1 changed, 1 refused', expect.stringContaining('C-3: ')]);
  });

  it('run a confirmed action only after a question, with the tasks still selected', async () => {
    await make({ 'D-1': {}, 'D-2': {} });
    const page = await mina.get(list);
    const asks = await send(mina, page, ['D-1', 'D-2'], { action: 'drop' });
    expect([asks.status, asks.textOf('dialog[open] h2'), chosen(asks).length]).toEqual([422, 'Really drop them?', 2]); // prettier-ignore
    const button = 'dialog[open] button[name=sure][form=bulk]';
    expect([asks.textOf(button), await value('D-1', 'Stage')]).toEqual(['Drop: 2 tasks', 'New']);
    const done = await send(mina, asks, ['D-1', 'D-2'], { sure: asks.attributeOf(button, 'value') });
    expect(said(await follow(mina, done))).toEqual(['2 changed']);
    expect(await value('D-2', 'Stage')).toBe('Closed');
  });

  it("have the operations of the reader's role, and refuse the others for each task", async () => {
    await make({ 'E-1': { 'Assigned To': 'ines@acme.test', Stage: 'Checked', Amount: 1 }, 'E-2': { Stage: 'Checked', Amount: 1 } }); // prettier-ignore
    expect(offers(await mina.get(list))).toEqual(['Assign to…', 'Move to…', 'Run an action…']);
    const ines = await signIn(service, 'ines@acme.test');
    const rita = await signIn(service, 'rita@acme.test');
    const page = await ines.get(list);
    expect(offers(page)).toEqual(['Assign to…', 'Run an action…']);
    expect(said(await send(ines, page, ['E-1'], { stage: 'New' }))).toEqual(['1 refused', 'E-1: Your role can move tasks to another stage only by actions.']); // prettier-ignore
    expect(said(await send(ines, page, ['E-1', 'E-2'], { assign: '' }))).toEqual(['1 changed, 1 refused', 'E-2: Your role can edit only tasks that are assigned to you.']); // prettier-ignore
    expect(said(await send(ines, await ines.get(list), ['E-2'], { action: 'add' }))[1]).toContain('may not perform Add'); // prettier-ignore
    expect(said(await act(['E-2'], { action: 'pay' }, ines))).toEqual(['1 changed']);
    const nothing = await rita.get(list);
    expect([nothing.status, texts(nothing, '#bulk, [name=task], .select-all')]).toEqual([200, []]);
    const forged = await rita.post(list, { task: boxes(await mina.get(list), 'E-1'), assign: '' });
    expect(said(forged)).toEqual(['1 refused', 'E-1: Your role cannot edit tasks of this workflow.']);
  });

  it('show in advance what would happen, to how many, and why not to the others', async () => {
    await make({ 'G-1': { Stage: 'Checked', Amount: 1 }, 'G-2': { 'Assigned To': 'ines@acme.test' } });
    const both = ['G-1', 'G-2'];
    const people = ['Nobody', 'Ines 1 mail', 'Mina', 'Rita 1 mail'];
    expect(await asked(mina, 'assign', both)).toEqual(['Assign 2 tasks', ...people]);
    expect(await asked(mina, 'stage', both)).toEqual(['Move 2 tasks', 'New', 'Checked']);
    expect(await asked(mina, 'action', both)).toEqual([
      'Run an action on 2 tasks',
      'Pay 1 of 2, because: Pay is not available in stage New',
      'Add',
      'Drop',
      'Refuse 0 of 2, because: asks for values: one task at a time (off)',
    ]);
    const ines = await signIn(service, 'ines@acme.test');
    const own = 'because: Your role can edit only tasks that are assigned to you.';
    expect((await asked(ines, 'assign', both))[1]).toBe(`Nobody 1 of 2, ${own}`);
    expect((await asked(ines, 'assign', ['G-1']))[1]).toBe(`Nobody 0 of 1, ${own} (off)`);
  });

  it('can be changed back, except where others have changed something since', async () => {
    await make({ 'H-1': {}, 'H-2': {} });
    const both = ['H-1', 'H-2'];
    const changed = await act(both, { assign: 'ines@acme.test' });
    await put('H-2', { 'Assigned To': 'rita@acme.test' });
    const undone = await mina.post(list, { undo: undoIn(changed) });
    expect(said(undone)).toEqual(['1 changed, 1 refused', `H-2: ${stale}`]); // prettier-ignore
    expect([await value('H-1', 'Assigned To'), await value('H-2', 'Assigned To')]).toEqual([null, 'rita@acme.test']); // prettier-ignore
    // Also where some were refused, the others can be taken back; what an action did cannot.
    const page = await mina.get(list);
    await put('H-1', { Amount: 6 });
    expect(undoIn(await send(mina, page, both, { assign: 'mina@acme.test' }))).toMatch(/^Assigned To~/);
    expect(undoIn(await act(['H-1'], { action: 'add' }))).toBe('no undo');
    for (const undo of ['', 'Stage', 'none~x', 'none~x.1', `Stage~\0~${'x'.repeat(200)}.1`])
      expect((await mina.post(list, { undo })).status).toBeLessThan(500);
  });

  it('can be changed back only by the notice of the change, and only once', async () => {
    await make({ 'U-1': {}, 'U-2': {}, 'U-3': {} });
    const assign = async (id: string, name: string): Promise<string> =>
      undoIn(await act([id], { assign: `${name}@acme.test` }));
    const assignee = async (id: string): Promise<unknown> => value(id, 'Assigned To');
    const undone = async (undo: string): Promise<string[]> => {
      const answer = await mina.post(list, { undo });
      return said(answer.status === 303 ? await follow(mina, answer) : answer);
    };
    const sent = await assign('U-1', 'ines');
    expect([await undone(sent), await assignee('U-1')]).toEqual([['1 changed'], null]);
    expect([await undone(sent), await assignee('U-1')]).toEqual([['1 refused', `U-1: ${stale}`], null]);
    // Another tab: the reader's own later change is not what the first notice tells of, also when it is the same.
    const first = await assign('U-2', 'ines');
    for (const later of ['rita', 'ines']) {
      await assign('U-2', later);
      expect([await undone(first), await assignee('U-2')]).toEqual([['1 refused', `U-2: ${stale}`], `${later}@acme.test`]); // prettier-ignore
    }
    const moved = undoIn(await act(['U-2'], { stage: 'Checked' }));
    expect([await undone(moved), await value('U-2', 'Stage')]).toEqual([['1 changed'], 'New']);
    // A later change of another field stays as it is.
    const undo = await assign('U-3', 'ines');
    await put('U-3', { Urgent: true });
    expect([await undone(undo), await assignee('U-3'), await value('U-3', 'Urgent')]).toEqual([['1 changed'], null, true]); // prettier-ignore
  });

  it('refuse, without an error of the service, any request that our pages do not send', async () => {
    await make({ 'F-1': {}, 'F-2': {} });
    await api.post('/api/v1/workflows/bills/tasks', { Bill: 'b' }).expect(201);
    const page = await mina.get(list);
    const [box = '', other = ''] = boxes(page, 'F-1', 'F-2');
    const [ofOther = ''] = boxes(await mina.get('/workflows/bills/list'), 'b');
    const events = async (): Promise<string> => (await api.get(`${tasks}/F-1/history`)).text;
    const before = await events();
    const gone = 'A task that is no longer here, or that you cannot see';
    const move = { stage: 'Checked' };
    const cases: [Fields, string[]][] = [
      [{ task: [], ...move }, ['No task is selected. Tick the boxes of the tasks to change.']],
      [{ task: [box] }, ['Choose what to do with the selected tasks.']],
      [{ task: [box], action: 'none' }, ['Choose what to do with the selected tasks.']],
      [{ task: [box], stage: 'Paid' }, ['1 refused', 'F-1: Stage can be entered only by actions']],
      [{ task: [box], stage: 'Nowhere' }, ['1 refused', expect.stringContaining('F-1: Stage is not a stage of this workflow')]], // prettier-ignore
      [{ task: [box], stage: '\0' }, ['1 refused', expect.stringContaining('F-1: ')]],
      [{ task: [box], assign: 'nobody@else.test' }, ['1 refused', expect.stringContaining('F-1: Assigned To')]], // prettier-ignore
      [{ task: [box], action: 'refuse' }, ['1 refused', 'F-1: Reason is required']],
      [{ task: [box], action: 'ruled' }, ['1 refused', 'F-1: Ruled is started by rules']],
      [{ task: [ofOther], ...move }, ['1 refused', gone]],
      [{ task: ['', '\0', `${box}~`, "'; --", 'a'.repeat(5000)], ...move }, ['1 refused', gone]],
      [{ task: [box.replace(/~.*/, '~1@1'), box.replace(/~.*/, '')], action: 'add', once: '\0' }, ['2 refused', `F-1: ${stale}`, gone]], // prettier-ignore
      [{ task: Array.from({ length: 101 }, (_, at) => `t${at}~1@1`), ...move }, ['At most 100 tasks can be changed at a time.']], // prettier-ignore
    ];
    for (const [fields, expected] of cases) {
      const answer = await mina.post(list, fields);
      expect([fields, answer.status, said(answer)]).toEqual([fields, 422, expected]);
    }
    expect([await events(), await value('F-1', 'Stage')]).toEqual([before, 'New']);
    // The same task twice is one.
    expect(said(await follow(mina, await mina.post(list, { task: [other, other], ...move })))).toEqual(['1 changed']); // prettier-ignore
    expect((await mina.post(`${list}?Colour=red`, { task: [box], ...move })).status).toBe(303);
  });
});
