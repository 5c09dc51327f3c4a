import { type Response } from 'supertest';
import { type Browser, pageOf, signIn } from '../support/console.js';
import { postBatch } from '../support/batch.js';
import { endOf } from '../support/executions.js';
import { type Client, startServiceWith } from '../support/service.js';
import { keyOf, outcome, personOf } from './person.js';

// Eva edits every change and no vote. Own edits the votes that are assigned to her. Ada is an administrator of both.
const board = `
workspace: { id: acme, name: Acme }
users: [{ email: eva@acme.test }, { email: own@acme.test }, { email: ada@acme.test }]
workflows:
  - id: changes
    name: Changes
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Plan, type: text }]
    roles: [{ id: engineer, name: Engineer, actions: [vote] }, { id: boss, name: Boss, admin: true }]
    members:
      - { email: eva@acme.test, role: engineer }
      - { email: own@acme.test, role: engineer }
      - { email: ada@acme.test, role: boss }
    actions: [{ id: vote, name: Vote, steps: [{ name: Vote, type: create_linked_task, relationship: votes, set: { Vote: '{{ID}}-made' } }] }]
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
`;

const changes = '/api/v1/workflows/changes/tasks';
const votes = '/api/v1/workflows/votes/tasks';
const refused = '403 A link changes the tasks at both ends, and your role cannot edit both of them.';
const ofFar = '403 Your role cannot edit tasks of this workflow.';

const { service, api } = await startServiceWith(board);
const eva = await personOf(service, 'eva@acme.test');
const own = await personOf(service, 'own@acme.test');
const ada = await personOf(service, 'ada@acme.test');

describe('"linking or unlinking changes both tasks, so a person needs `edits` on both ends"', () => {
  let count = 0;

  /** Two changes, of which the first has a vote, and a vote of none; votes are assigned to this user. */
  async function create(assignee: string | null = null): Promise<Given> {
    const n = (count += 1);
    const given = { mine: `m${n}`, theirs: `t${n}`, cast: `c${n}`, free: `f${n}` };
    for (const Vote of [given.cast, given.free]) await api.send(votes, { Vote, 'Assigned To': assignee });
    const linked = { Votes: [{ Vote: given.cast }], 'Last vote': { Vote: given.cast } };
    await api.send(changes, { ID: given.theirs, ...linked });
    await api.send(changes, { ID: given.mine });
    return given;
  }
  type Given = Readonly<Record<'mine' | 'theirs' | 'cast' | 'free', string>>;

  /** Every way to a link, from either of its ends, and what it is refused with where the votes may not be edited. */
  const ways: readonly (readonly [string, string, (who: Client, given: Given) => PromiseLike<Response>])[] = [
    ['link', refused, (who, { mine, free }) => who.put(`${changes}/${mine}/links/Votes/${free}`)],
    ['take', refused, (who, { mine, cast }) => who.put(`${changes}/${mine}/links/Votes/${cast}`)],
    ['take the one', refused, (who, { mine, cast }) => who.put(`${changes}/${mine}/links/Last vote/${cast}`)],
    ['replace the one', refused, (who, { theirs, free }) => who.put(`${changes}/${theirs}/links/Last vote/${free}`)],
    ['link from there', ofFar, (who, { mine, free }) => who.put(`${votes}/${free}/links/Change/${mine}`)],
    ['set', refused, (who, { mine, cast }) => who.put(changes, { ID: mine, Votes: [{ Vote: cast }] })],
    ['upsert', refused, (who, { mine, cast }) => who.post(changes, { ID: mine, Votes: [{ Vote: cast }] })],
    ['create', refused, (who, { mine, cast }) => who.post(changes, { ID: `new ${mine}`, Votes: [{ Vote: cast }] })],
    ['blank', refused, (who, { theirs }) => who.put(changes, { ID: theirs, Votes: [] })],
    ['blank the one', refused, (who, { theirs }) => who.put(changes, { ID: theirs, 'Last vote': null })],
    ['unlink', refused, (who, { theirs, cast }) => who.delete(`${changes}/${theirs}/links/Votes/${cast}`)],
  ]; // prettier-ignore

  const state = ({ mine, theirs, cast, free }: Given): Promise<unknown[]> =>
    Promise.all([`${changes}/${mine}`, `${changes}/${theirs}`, `${votes}/${cast}`, `${votes}/${free}`].map((path) => api.read(path))); // prettier-ignore

  it.each(ways)(
    '%s: refused without a write if one end may not be edited, and otherwise done',
    async (_, why, way) => {
      const given = await create();
      const before = await state(given);
      expect(await outcome(way(eva, given))).toBe(why);
      const ofOwn = '403 Your role can edit only tasks that are assigned to you.';
      expect(await outcome(way(own, given))).toBe(why === ofFar ? ofOwn : why);
      expect(await state(given)).toEqual(before);
      expect(await outcome(way(ada, given))).toBe('done');
      expect(await outcome(way(own, await create('own@acme.test')))).toBe('done');
    },
  );

  it('a batch refuses the row, and writes the other rows', async () => {
    const { mine, theirs, cast } = await create();
    const rows = [{ ID: mine, Votes: [{ Vote: cast }] }, { ID: theirs, Plan: 'row' }]; // prettier-ignore
    const key = await keyOf(service, 'eva@acme.test');
    const { lines } = await postBatch(`${service.url}${changes}/batch`, key, rows);
    const first = { status: 'error', errors: { base: [refused.slice(4)] } };
    expect(lines).toMatchObject([first, { status: 'updated' }]);
    expect(await api.read(`${votes}/${cast}`)).toMatchObject({ Change: { ID: theirs } });
  });

  it('a payload that changes no link needs no right to the other end: a task is sent back as read', async () => {
    const { theirs, cast } = await create();
    const task = await eva.read<object>(`${changes}/${theirs}`);
    await eva.put(changes, { ...task, Plan: 'new' }).expect(200);
    await eva.put(`${changes}/${theirs}/links/Votes/${cast}`).expect(204);
    expect(await api.read(`${changes}/${theirs}`)).toMatchObject({ Plan: 'new', Votes: [{ Vote: cast }] });
  });

  it('the task that loses a link must be editable, too', async () => {
    // Here own edits the votes and the changes that are hers.
    const key = await service.clientOf(
      board.replace('engineer, name', 'engineer, edits: assigned, name').replace('id: acme', 'id: other'),
    );
    const person = await personOf(service, 'own@acme.test', 'other');
    const assigned = { 'Assigned To': 'own@acme.test' };
    await key.send(votes, { Vote: 'v', ...assigned });
    await key.send(changes, { ID: 'holder', Votes: [{ Vote: 'v' }] });
    await key.send(changes, { ID: 'wants', ...assigned });
    expect(await outcome(person.put(`${changes}/wants/links/Votes/v`))).toBe(refused);
    expect(await outcome(person.put(`${votes}/v/links/Change/wants`))).toBe(refused);
    await key.send(changes, { ID: 'holder', ...assigned });
    await person.put(`${votes}/v/links/Change/wants`).expect(204);
  });

  it('an action may link tasks that the user may not edit', async () => {
    const { mine } = await create();
    const executions = '/api/v1/workflows/changes/executions';
    const begun = await eva.post(executions, { task_id: mine, action_id: 'vote' }).set('Prefer', 'wait=10');
    expect((await endOf(eva, executions, begun)).body).toMatchObject({ status: 'Success' });
    expect(await api.read(`${votes}/${mine}-made`)).toMatchObject({ Change: { ID: mine } });
  });

  it('a page neither offers nor accepts a refused change', async () => {
    const { mine, theirs, cast, free } = await create();
    const [to, from] = await Promise.all([mine, theirs].map(async (id) => pageOf(await api.get(`${changes}/${id}`)))); // prettier-ignore
    const formsFor = async (browser: Browser): Promise<number> =>
      (await browser.get(from ?? '')).html.querySelectorAll('form[action*="/links/"]').length;
    const statusOf = async (browser: Browser, path: string, other: string): Promise<number> =>
      (await browser.post(path, { other })).status;
    const reader = await signIn(service, 'eva@acme.test');
    expect((await reader.get(from ?? '')).html.querySelectorAll('.linked')).toHaveLength(2);
    expect(await formsFor(reader)).toBe(0);
    expect(await statusOf(reader, `${to}/links/Votes`, free)).toBe(403);
    expect(await statusOf(reader, `${from}/links/Votes/remove`, cast)).toBe(403);
    expect((await reader.get('/workflows/changes/new')).html.querySelector('input[name="Votes"]')).toBeNull();

    const admin = await signIn(service, 'ada@acme.test');
    expect(await formsFor(admin)).toBe(4);
    expect(await statusOf(admin, `${to}/links/Votes`, free)).toBe(303);
  });
});
