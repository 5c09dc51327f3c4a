import { inline, sendForm } from '../support/attachments.js';
import { sendWhileHeld } from '../support/held-tasks.js';
import { changes, startChanges, tasks, votes } from './by-actions.js';

const message = 'is changed by an action';
const refusal = (...names: string[]) => ({
  errors: Object.fromEntries(names.map((name) => [name, [message]])),
});

const { service, api, perform, batch, importing, texts } = await startChanges();

describe('a field and a side of a relationship with change: by_actions', () => {
  it.each([{ Signed: true }, { Regions: ['EMEA'] }, { Seal: [inline('a.txt')] }])(
    '"a payload that changes the value is 422 on it, at creation too": %j',
    async (change) => {
      const [name = ''] = Object.keys(change);
      const ID = `changed ${name}`;
      await api.post(tasks, { ID, ...change }).expect(422, refusal(name));
      await api.post(tasks, { ID, Note: 'kept' }).expect(201);
      const before = await texts(`${tasks}/${ID}`);
      for (const send of ['post', 'put'] as const)
        await api[send](tasks, { ID, Note: 'lost', ...change }).expect(422, refusal(name));
      expect(await texts(`${tasks}/${ID}`)).toEqual(before);
    },
  );

  it('"unless it is the default", or blank without a default', async () => {
    const blank = { Signed: false, Verdict: null, Regions: [], Seal: [], Votes: [], 'Made by': '' };
    await api.post(tasks, { ID: 'default', Amount: 0, ...blank }).expect(201);
    await api.post(tasks, { ID: 'no default', Amount: null }).expect(422, refusal('Amount'));
  });

  it('steps change the value, and the task can be sent back as it was read', async () => {
    await api.post(tasks, { ID: 'back-1', Note: 'n' }).expect(201);
    expect(await perform('approve', 'back-1')).toBe('Success');
    const row = { ID: 'back-1', Verdict: 'x' };
    expect(await batch([row])).toMatchObject([{ row: 1, status: 'error', ...refusal('Verdict') }]);
    const set = { Signed: true, Amount: '12.5', Verdict: 'n', Regions: ['APAC'] };
    expect(await api.read(`${tasks}/back-1`)).toMatchObject(set);
    const [read = ''] = await texts(`${tasks}/back-1`);
    expect((await api.put(tasks, read).expect(200)).text).toBe(read);
    expect((await api.post(tasks, read).expect(200)).text).toBe(read);
    const undone = { ID: 'back-1', Signed: false, Verdict: '' };
    await api.put(tasks, undone).expect(422, refusal('Signed', 'Verdict'));
  });

  it('a link, from either side, by a payload or a path, added or removed', async () => {
    for (const ID of ['links', 'wants']) await api.post(tasks, { ID }).expect(201);
    await api.post(votes, { Vote: 'loose' }).expect(201);
    expect(await perform('vote', 'links')).toBe('Success');
    const made = { Weight: '2', Cast: 'x', Change: { ID: 'links' } };
    expect(await api.read(`${votes}/links-1`)).toMatchObject(made);
    const paths = [`${tasks}/links`, `${tasks}/wants`, `${votes}/links-1`, `${votes}/loose`];
    const before = await texts(...paths);
    const withVotes = (ID: string, ...ids: string[]) =>
      api.post(tasks, { ID, Votes: ids.map((Vote) => ({ Vote })) });
    for (const write of [
      withVotes('links'),
      withVotes('links', 'links-1', 'loose'),
      withVotes('wants', 'links-1'),
      withVotes('new', 'loose'),
      api.put(`${tasks}/wants/links/Votes/loose`),
      api.put(`${tasks}/wants/links/Votes/links-1`),
      api.delete(`${tasks}/links/links/Votes/links-1`),
    ])
      await write.expect(422, refusal('Votes'));
    for (const write of [
      api.put(votes, { Vote: 'links-1', Change: null }),
      api.put(votes, { Vote: 'links-1', Change: { ID: 'wants' } }),
      api.post(votes, { Vote: 'new', Change: { ID: 'wants' } }),
      api.put(`${votes}/loose/links/Change/wants`),
      api.delete(`${votes}/links-1/links/Change/links`),
    ])
      await write.expect(422, refusal('Change'));
    expect(await texts(...paths)).toEqual(before);
    await api.put(`${tasks}/links/links/Votes/links-1`).expect(204);
    await api.put(`${tasks}/links/links/Seconds/loose`).expect(204);
    expect(await perform('count', 'links')).toBe('Success');
    expect(await api.read(`${votes}/links-1`)).toMatchObject({ Weight: '3' });
    const [counted = '', wants = ''] = await texts(`${votes}/links-1`, `${tasks}/wants`);
    await api.put(votes, counted).expect(200);
    expect((await api.put(tasks, wants).expect(200)).text).toBe(wants);
  });

  it('a file, by the path of attachments', async () => {
    await api.post(tasks, { ID: 'sealed' }).expect(201);
    const { status, body } = await sendForm(api, `${tasks}/sealed/attachments/Seal`, { filename: 'a.txt' });
    expect([status, body]).toEqual([422, refusal('Seal')]);
  });

  it('with editable: false, only a step that creates the task sets the value', async () => {
    await api.post(tasks, { ID: 'made', 'Made by': 'me' }).expect(422, refusal('Made by'));
    await api.post(tasks, { ID: 'made', Origin: 'here' }).expect(201);
    const fixed = ['cannot be changed after creation'];
    const errors = { Origin: fixed, 'Made by': fixed };
    await api.put(tasks, { ID: 'made', 'Made by': 'me', Origin: 'there' }).expect(422, { errors });
  });

  it('nobody writes an old value back while an action changes it', async () => {
    await api.post(tasks, { ID: 'race', Note: 'n' }).expect(201);
    const old = { ID: 'race', Signed: false, Amount: 0, Verdict: null };
    const write = (Note: number) => async () => (await api.put(tasks, { ...old, Note })).status;
    const approve = () => perform('approve', 'race');
    const ended = await sendWhileHeld<unknown>(service.dataSource, 'race', write(1), approve, write(2));
    expect(ended.slice(0, 2)).toEqual([200, 'Success']);
    expect([200, 422]).toContain(ended[2]);
    expect(await api.read(`${tasks}/race`)).toMatchObject({ Signed: true, Amount: '12.5' });
    await api.put(tasks, old).expect(422);
  });

  it('"imports by --force": without it a row is rejected', async () => {
    await api.post(votes, { Vote: 'imported' }).expect(201);
    const row = { ID: 'imp', Verdict: 'v', 'Made by': 'i', Votes: [{ Vote: 'imported' }] };
    const { out, err } = await importing(row);
    expect(out).toContain('1 rejected');
    expect(err).toContain(`Verdict ${message}; Made by ${message}`);
    expect((await importing(row, '--force')).out).toContain('1 created');
    expect(await api.read(`${tasks}/imp`)).toMatchObject({ Verdict: 'v', Votes: [{ Vote: 'imported' }] });
    expect((await importing(row)).out).toContain('1 unchanged');
    expect((await importing({ ...row, Verdict: 'w' }, '--force')).out).toContain('1 updated');
    const fixed = await importing({ ...row, 'Made by': 'j' }, '--force');
    expect(fixed.err).toContain('cannot be changed after creation');
  });

  it('is shown with the fields, and in the definition', async () => {
    const fields = await api.read<{ name: string; change?: string }[]>(`${changes}/fields`);
    const said = fields.filter((field) => 'change' in field).map(({ name, change }) => [name, change]);
    const names = ['Signed', 'Amount', 'Verdict', 'Regions', 'Seal', 'Made by'];
    expect(said).toEqual(names.map((name) => [name, 'by_actions']));
    expect(await api.read(changes)).toMatchObject({
      relationships: [{ from: { name: 'Votes', change: 'by_actions' }, to: { name: 'Change' } }, {}],
    });
  });
});
