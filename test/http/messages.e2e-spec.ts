import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const { api } = await startServiceWith(everyType);

describe('7 a refusal says what is wrong, and what to do', () => {
  it('an impossible day is no such day', async () => {
    const { body } = await api.post(tasks, { ID: '1', Day: '2026-02-30', Moment: '2026-02-30T10:00:00Z' }).expect(422); // prettier-ignore
    const said = ['is no such day: the calendar does not have it'];
    expect(body).toEqual({ errors: { Day: said, Moment: said } });
    expect((await api.get(`${tasks}?Day[lt]=2026-02-30`).expect(422)).body).toEqual({ errors: { 'Day[lt]': said } }); // prettier-ignore
  });

  it.each(['Stage[]', 'Stage[0]'])('%s points to the right form', async (name) => {
    const { body } = await api.get(`${tasks}?${name}=New`).expect(422);
    expect(body).toEqual({ errors: { [name]: ['is not written with []: repeat Stage for several values'] } });
  });

  it('an empty body says so', async () => {
    const { body } = await api.post(tasks).expect(400);
    expect(body).toMatchObject({ detail: 'The body is empty: it must be a JSON object.' });
  });

  it('one method is allowed, several are', async () => {
    const one = await api.put('/api/v1/webhooks/w/test').expect(405);
    expect((one.body as { readonly detail: string }).detail).toMatch(/^Only POST is allowed here/);
    const two = await api.delete('/api/v1/workflows').expect(405);
    expect((two.body as { readonly detail: string }).detail).toMatch(/^Only GET, HEAD are allowed here/);
  });
});
