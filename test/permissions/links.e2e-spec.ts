import { type Browser, signIn } from '../support/console.js';
import { outcome, Person, type TaskJson } from './person.js';
import { startServiceWith } from '../support/service.js';

// Eva edits every change and no vote. Own edits the votes that are assigned to her. Ada is an administrator of both.
const board = `
workspace: { id: acme, name: Acme }
users: [{ email: eva@acme.test }, { email: own@acme.test }, { email: ada@acme.test }]
workflows:
  - id: changes
    name: Changes
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Plan, type: text }]
    roles: [{ id: engineer, name: Engineer }, { id: boss, name: Boss, admin: true }]
    members:
      - { email: eva@acme.test, role: engineer }
      - { email: own@acme.test, role: engineer }
      - { email: ada@acme.test, role: boss }
    actions:
      - { id: vote, name: Vote, steps: [{ name: Vote, type: create_linked_task, relationship: votes, set: { Vote: '{{ID}}-made' } }] }
  - id: votes
    name: Votes
    stages: [{ name: Cast }]
    fields: [{ name: Vote, type: uniqueId, required: true }]
    roles:
      - { id: reader, name: Reader, edits: none, creates: true, actions: [] }
      - { id: owner, name: Owner, edits: assigned }
      - { id: boss, name: Boss, admin: true }
    members:
      - { email: eva@acme.test, role: reader }
      - { email: own@acme.test, role: owner }
      - { email: ada@acme.test, role: boss }
relationships:
  - { id: votes, kind: one_to_many, from: { workflow: changes, name: Votes }, to: { workflow: votes, name: Change } }
  - { id: last, kind: one_to_one, from: { workflow: changes, name: Last vote }, to: { workflow: votes, name: Last of } }
`.replace(/(id: engineer, name: Engineer)/, '$1, actions: [vote]');

const path = '/api/v1/workflows';
const refused = '403 A link changes the tasks at both ends, and your role cannot edit both of them.';
const ofFar = '403 Your role cannot edit tasks of this workflow.';

const { service, api } = await startServiceWith(board);

describe('"linking or unlinking changes both tasks, so a person needs `edits` on both ends"', () => {
  let eva: Person;
  let own: Person;
  let ada: Person;
  let count = 0;

  beforeAll(async () => {
    [eva, own, ada] = (await Promise.all(
      ['eva', 'own', 'ada'].map((name) => Person.of(service, 'acme', `${name}@acme.test`)),
    )) as [Person, Person, Person];
  });

  /** Two changes, of which the first has a vote, and a vote of none; votes are assigned to this user. */
  async function votes(assignee: string | null = null) {
    const n = (count += 1);
    const given = { mine: `m${n}`, theirs: `t${n}`, cast: `c${n}`, free: `f${n}` };
    for (const Vote of [given.cast, given.free])
      await api.post(`${path}/votes/tasks`, { Vote, 'Assigned To': assignee }).expect(201);
    const linked = { Votes: [{ Vote: given.cast }], 'Last vote': { Vote: given.cast } };
    await api.post(`${path}/changes/tasks`, { ID: given.theirs, ...linked }).expect(201);
    await api.post(`${path}/changes/tasks`, { ID: given.mine }).expect(201);
    return given;
  }
  type Votes = Awaited<ReturnType<typeof votes>>;

  /** Every way to a link, from either of its ends, and what it is refused with where the votes may not be edited. */
  const ways: readonly (readonly [string, string, (who: Person, votes: Votes) => Promise<unknown>])[] = [
    ['link', refused, (who, { mine, free }) => who.link('changes', mine, 'Votes', free)],
    ['take', refused, (who, { mine, cast }) => who.link('changes', mine, 'Votes', cast)],
    ['take the one', refused, (who, { mine, cast }) => who.link('changes', mine, 'Last vote', cast)],
    ['replace the one', refused, (who, { theirs, free }) => who.link('changes', theirs, 'Last vote', free)],
    ['link from there', ofFar, (who, { mine, free }) => who.link('votes', free, 'Change', mine)],
    ['set', refused, (who, { mine, cast }) => who.update('changes', { ID: mine, Votes: [{ Vote: cast }] })],
    ['upsert', refused, (who, { mine, cast }) => who.upsert('changes', { ID: mine, Votes: [{ Vote: cast }] })],
    ['create', refused, (who, { mine, cast }) => who.upsert('changes', { ID: `new ${mine}`, Votes: [{ Vote: cast }] })],
    ['blank', refused, (who, { theirs }) => who.update('changes', { ID: theirs, Votes: [] })],
    ['blank the one', refused, (who, { theirs }) => who.update('changes', { ID: theirs, 'Last vote': null })],
    ['unlink', refused, (who, { theirs, cast }) => who.unlink('changes', theirs, 'Votes', cast)],
  ]; // prettier-ignore

  const state = async ({ mine, theirs, cast, free }: Votes): Promise<TaskJson[]> => [
    await ada.read('changes', mine),
    await ada.read('changes', theirs),
    await ada.read('votes', cast),
    await ada.read('votes', free),
  ];

  it.each(ways)(
    '%s: refused where one end may not be edited, and nothing is written; else done',
    async (_, why, way) => {
      const given = await votes();
      const before = await state(given);
      expect(await outcome(way(eva, given))).toBe(why);
      const ofOwn = '403 Your role can edit only tasks that are assigned to you.';
      expect(await outcome(way(own, given))).toBe(why === ofFar ? ofOwn : why);
      expect(await state(given)).toEqual(before);
      expect(await outcome(way(ada, given))).toBe('done');
      expect(await outcome(way(own, await votes('own@acme.test')))).toBe('done');
    },
  );

  it('a batch refuses the row, and each other row is written', async () => {
    const { mine, theirs, cast } = await votes();
    const rows = [
      { ID: mine, Votes: [{ Vote: cast }] },
      { ID: theirs, Plan: 'row' },
    ];
    const [first, second] = await eva.batch('changes', rows);
    expect(first).toMatchObject({ status: 'error', errors: { base: [refused.slice(4)] } });
    expect(second).toMatchObject({ status: 'updated' });
    expect(await eva.batch('changes', rows, true)).toMatchObject([{ status: 'error' }]);
    expect(await ada.read('votes', cast)).toMatchObject({ Change: { ID: theirs } });
  });

  it('what changes no link needs no right to the other end: a task is sent back as it was read', async () => {
    const { theirs, cast } = await votes();
    const task = await eva.read('changes', theirs);
    expect(await outcome(eva.update('changes', { ...task, Plan: 'new' }))).toBe('done');
    expect(await outcome(eva.link('changes', theirs, 'Votes', cast))).toBe('done');
    expect(await ada.read('changes', theirs)).toMatchObject({ Plan: 'new', Votes: [{ Vote: cast }] });
  });

  it('the task that a vote is taken from must be theirs to edit, too', async () => {
    // Here own edits the votes that are hers; one of them is held by a change of a workflow in which she edits none.
    const key = await service.clientOf(
      board
        .replace('{ id: engineer,', '{ id: engineer, edits: assigned,')
        .replace('id: acme, name: Acme', 'id: other, name: O'),
    );
    const person = await Person.of(service, 'other', 'own@acme.test');
    const assigned = { 'Assigned To': 'own@acme.test' };
    await key.post(`${path}/votes/tasks`, { Vote: 'v', ...assigned }).expect(201);
    await key.post(`${path}/changes/tasks`, { ID: 'holder', Votes: [{ Vote: 'v' }] }).expect(201);
    await key.post(`${path}/changes/tasks`, { ID: 'wants', ...assigned }).expect(201);
    expect(await outcome(person.link('changes', 'wants', 'Votes', 'v'))).toBe(refused);
    expect(await outcome(person.link('votes', 'v', 'Change', 'wants'))).toBe(refused);
    await key.put(`${path}/changes/tasks`, { ID: 'holder', ...assigned }).expect(200);
    expect(await outcome(person.link('votes', 'v', 'Change', 'wants'))).toBe('done');
  });

  it('their action may link tasks that they may not edit', async () => {
    const { mine } = await votes();
    const execution = await eva.perform('changes', mine, 'vote');
    expect(await eva.end('changes', execution)).toBe('Success');
    expect(await ada.read('votes', `${mine}-made`)).toMatchObject({ Change: { ID: mine } });
  });

  it('a page neither offers nor accepts a refused change', async () => {
    const { mine, theirs, cast, free } = await votes();
    const pageOf = async (browser: Browser, id: string) => {
      const { body } = await api.get(`${path}/changes/tasks/${id}`).expect(200);
      const at = new URL((body as { 'Task URL': string })['Task URL']).pathname;
      return { at, html: (await browser.get(at)).html };
    };
    const reader = await signIn(service, 'eva@acme.test');
    const shown = await pageOf(reader, theirs);
    expect(shown.html.querySelectorAll('.linked')).toHaveLength(2);
    expect(shown.html.querySelectorAll('form[action*="/links/"]')).toHaveLength(0);
    const wanted = await pageOf(reader, mine);
    const answer = await reader.post(`${wanted.at}/links/Votes`, { other: free });
    expect(answer.status).toBe(403);
    expect((await reader.post(`${shown.at}/links/Votes/remove`, { other: cast })).status).toBe(403);
    expect((await reader.get('/workflows/changes/new')).html.querySelector('input[name="Votes"]')).toBeNull();

    const admin = await signIn(service, 'ada@acme.test');
    expect((await pageOf(admin, theirs)).html.querySelectorAll('form[action*="/links/"]')).toHaveLength(4);
    expect((await admin.post(`${wanted.at}/links/Votes`, { other: free })).status).toBe(303);
  });
});
