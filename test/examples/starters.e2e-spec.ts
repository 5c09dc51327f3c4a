import { type Outcome, startExample, type Task } from './example.js';

const office = await startExample('starters.yaml', '2030-03-04T09:00:00Z');

// docs/examples/starters.yaml: "departments work in parallel, equipment as chosen, deadlines before a first day that may
// move". It is Monday, the 4th of March 2030, 10:00 in Berlin.
describe('the starters of a company', () => {
  afterAll(() => office.stop());

  const sign = (Name: string, values: object = {}): Promise<string> =>
    office.create('starters', {
      Name,
      'First Day': '2030-03-25',
      'Hiring Manager': 'lina@people.test',
      ...values,
    });
  const prepare = (id: string): Promise<Outcome> =>
    office.act('starters', id, 'prepare', 'hanna@people.test');
  const done = (job: string, by: string, action = 'done'): Promise<Outcome> =>
    office.act('jobs', job, action, `${by}@people.test`);
  const stageOf = async (id: string): Promise<unknown> => (await office.task('starters', id))['Stage'];
  /** The jobs of a starter by the first word of their titles. */
  async function jobsOf(id: string): Promise<Map<string, Task>> {
    const path = office.at('starters', `/${id}/links/Jobs`);
    const { body } = await office.api.get(path).expect(200);
    const linked = (body as Task[]).map((job) => office.task('jobs', String(job['Job ID'])));
    return new Map((await Promise.all(linked)).map((job) => [String(job['Title']).split(' ')[0] ?? '', job]));
  }
  const jobOf = async (id: string, name: string): Promise<string> =>
    String((await jobsOf(id)).get(name)?.['Job ID']);

  it('departments work in parallel: all jobs are done at once, and it is ready once', async () => {
    const id = await sign('Cem', { Equipment: ['Phone'] });
    await prepare(id);
    expect(await done(await jobOf(id, 'Phone'), 'ido', 'not-needed')).toMatchObject({ status: 'Success' });
    await office.sent();
    expect(await stageOf(id)).toBe('Preparing');
    // "A department is not done": the rule comes too early, which is no failure.
    expect(await office.runs('starters', id)).toEqual(['all-done unavailable A department is not done']);
    expect(await office.act('starters', id, 'ready', 'hanna@people.test')).toMatchObject({
      errors: ['Everything is ready is started by rules'],
    });

    const [accounts, desk] = await Promise.all([jobOf(id, 'Accounts'), jobOf(id, 'Desk')]);
    const outcomes = await Promise.all([done(accounts, 'ido'), done(desk, 'falk')]);
    expect(outcomes).toMatchObject([{ status: 'Success' }, { status: 'Success' }]);
    await office.sent();
    expect(await stageOf(id)).toBe('Ready');
    expect(await office.comments('starters', id)).toEqual([
      'rule all-done: All jobs are done; Cem can come on 2030-03-25.',
    ]);
    const started = (await office.runs('starters', id)).filter((run) => run.startsWith('all-done started'));
    expect(started).toHaveLength(1);
    expect(await office.clock('starters', id, 'first-day')).toMatchObject({ state: 'met' });
    expect(await office.change('starters', id, { 'Hiring Manager': 'hanna@people.test' })).toEqual({
      'Hiring Manager': ['may not be changed in Ready'],
    });
  });
});
