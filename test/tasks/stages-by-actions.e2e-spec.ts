import { sendWhileHeld } from '../support/held-tasks.js';
import { byActions, startChanges, tasks, votes } from './by-actions.js';

const refused = { errors: { Stage: ['can be entered only by actions'] } };
const { service, api, perform, batch } = await startChanges();

describe('a stage with enter: by_actions', () => {
  it('"a plain Stage in a payload that moves a task there is 422", by POST and by PUT; "creating a task there is refused too, unless it is the first stage"', async () => {
    await api.post(tasks, { ID: 'made', Stage: 'Approved' }).expect(422, refused);
    await api.get(`${tasks}/made`).expect(404);
    await api.post(tasks, { ID: 'made', Stage: 'New' }).expect(201);
    for (const send of ['post', 'put'] as const)
      await api[send](tasks, { ID: 'made', Note: 'lost', Stage: 'Approved' }).expect(422, refused);
    expect(await api.read(`${tasks}/made`)).toMatchObject({ Stage: 'New', Note: null });
    await api.put(tasks, { ID: 'made', Stage: 'Review' }).expect(200);
    await api.put(tasks, { ID: 'made', Stage: 'New' }).expect(422, refused);
  });

  it('"naming the stage in which the task already stands is allowed": a task can be sent back as it is', async () => {
    await api.post(tasks, { ID: 'back' }).expect(201);
    expect(await perform('approve', 'back')).toBe('Success');
    const { text } = await api.get(`${tasks}/back`).expect(200);
    expect((await api.put(tasks, text).expect(200)).text).toBe(text);
    await api.put(tasks, { ID: 'back', Stage: 'Approved', Note: 'new' }).expect(200);
    const row = { ID: 'back', Stage: 'Approved', Note: 'newer' };
    expect(await batch([row])).toMatchObject([{ status: 'updated' }]);
    await api.put(tasks, { ID: 'back', Stage: 'Review' }).expect(200);
    await api.put(tasks, { ID: 'back', Stage: 'Approved' }).expect(422);
  });

  it('"steps that set Stage of linked tasks count as actions", where they create it and where they change it', async () => {
    await api.post(tasks, { ID: 'links' }).expect(201);
    for (const action of ['vote', 'count']) {
      expect(await perform(action, 'links')).toBe('Success');
      expect(await api.read(`${votes}/links-1`)).toMatchObject({ Stage: 'Settled' });
      await api.put(votes, { Vote: 'links-1', Stage: 'Open' }).expect(200);
    }
  });

  it('nobody moves a task back in while others move the task out', async () => {
    await api.post(tasks, { ID: 'race' }).expect(201);
    expect(await perform('approve', 'race')).toBe('Success');
    const writes = ['Review', 'Approved'].map(
      (Stage) => () => api.put(tasks, { ID: 'race', Stage, Note: Stage }),
    );
    const answers = await sendWhileHeld(service.dataSource, 'race', ...writes);
    expect(answers.map(({ status }) => status)).toEqual([200, 422]);
    expect(await api.read(`${tasks}/race`)).toMatchObject({ Stage: 'Review' });
  });

  it('a rename keeps the setting, and a file removes it', async () => {
    const review = (stage: string): Promise<void> =>
      service.apply(byActions.replace('{ name: Review }', stage));
    await review('{ name: Checking, was: Review, enter: by_actions }');
    await api.post(tasks, { ID: 'now' }).expect(201);
    await api.put(tasks, { ID: 'now', Stage: 'Checking' }).expect(422, refused);
    await review('{ name: Checked, was: Checking }');
    await api.put(tasks, { ID: 'now', Stage: 'Checked' }).expect(200);
  });
});
