import { inline } from '../support/attachments.js';
import { sendForm, signIn } from '../support/console.js';
import { type Outcome, startExample } from './example.js';

const bank = await startExample('complaints.yaml', '2030-03-04T08:30:00Z');
// To the minute, however long the start took.
await bank.sentBy('2030-03-04T09:00:00Z');

// docs/examples/complaints.yaml: "acknowledged within 3 working days, answered within 8 weeks of receipt, first response
// and resolution by priority". It is Monday, the 4th of March 2030, 09:00 in London; until the 31st that is UTC.
describe('the complaints of a bank', () => {
  afterAll(() => bank.stop());

  const complain = (values: object = {}): Promise<string> =>
    bank.create('complaints', {
      Subject: 'A fee',
      'Customer E-mail': 'carl@home.test',
      'Received On': '2030-03-01',
      ...values,
    });
  const act = (id: string, action: string, by = 'agnes', fields?: object): Promise<Outcome> =>
    bank.act('complaints', id, action, `${by}@desk.test`, fields);
  const linesBy = async (time: string): Promise<string[]> =>
    (await bank.sentBy(time)).map(({ line }) => line);
  const clock = async (id: string, name: string): Promise<object> => {
    const { state, due_at } = (await bank.clock('complaints', id, name)) ?? {};
    return { state, due_at };
  };
  const attach = (id: string, text: string): Promise<unknown> =>
    bank.change('complaints', id, { Letter: [inline('letter.txt', text)] });

  it('P1: the lead gets a message at 75 % and at the end of a working hour, and decides on the answer', async () => {
    const id = await complain({ Priority: 'P1' });
    const late = `lea@desk.test: Complaint ${id} is late`;
    await bank.sent();
    // A letter of the 1st of March: 8 weeks from then, whatever the day on which it was typed in.
    expect(await bank.task('complaints', id)).toMatchObject({ Stage: 'New', 'Last Day': '2030-04-26' });
    expect(await clock(id, 'first-response')).toEqual({ state: 'running', due_at: expect.stringContaining('2030-03-04T10:00') }); // prettier-ignore

    expect(await linesBy('2030-03-04T09:40:00Z')).toEqual([]);
    const [reminder, ...others] = await bank.sentBy('2030-03-04T09:46:00Z');
    expect([reminder?.line, others]).toEqual([late, []]);
    expect(reminder?.raw).toContain('A fee');
    expect(await linesBy('2030-03-04T10:01:00Z')).toEqual([late]);

    // The first response takes it: too late, which stays known.
    expect(await act(id, 'respond')).toMatchObject({ status: 'Success' });
    expect(await bank.task('complaints', id)).toMatchObject({
      Stage: 'Open',
      'Assigned To': 'agnes@desk.test',
    });
    expect(await clock(id, 'first-response')).toMatchObject({ state: 'breached' });
    // The resolution has 8 working hours from the beginning on: 75 % of them are 15:00.
    expect(await clock(id, 'resolution')).toEqual({ state: 'running', due_at: expect.stringContaining('2030-03-04T17:00') }); // prettier-ignore
    expect(await linesBy('2030-03-04T14:55:00Z')).toEqual([]);
    expect(await linesBy('2030-03-04T15:01:00Z')).toEqual([late]);

    // "count: 1, roles: [lead], not: [editors], covers: [Letter]", where the priority is P1.
    await attach(id, 'We are sorry.');
    const answer = (): Promise<Outcome> => act(id, 'answer', 'agnes', { Answer: 'You get it back', Redress: 600 }); // prettier-ignore
    expect(await answer()).toMatchObject({ errors: ['needs 1 more approval of lead: lea@desk.test may'] });
    const lea = await signIn(bank.service, 'lea@desk.test');
    const page = new URL(String((await bank.task('complaints', id))['Task URL'])).pathname;
    const approve = async (): Promise<number> =>
      (await sendForm(lea, await lea.get(page), '/approvals', { decision: 'approve', comment: '' })).status;
    expect(await approve()).toBe(303);
    await attach(id, 'We are very sorry.');
    expect(await answer()).toMatchObject({
      errors: [
        'needs 1 more approval of lead: lea@desk.test may',
        'an approval is stale: Letter has changed since',
      ],
    });
    expect(await approve()).toBe(303);
    expect(await answer()).toMatchObject({ status: 'Success' });
    expect(await bank.task('complaints', id)).toMatchObject({ Stage: 'Answered', Redress: '600.00' });
    const [letter, ...more] = await bank.sent();
    expect([letter?.line, more]).toEqual([`carl@home.test: Your complaint ${id}`, []]);
    expect(letter?.raw).toContain('You get it back');
    expect(letter?.raw).toContain(Buffer.from('We are very sorry.').toString('base64'));
    expect(await clock(id, 'resolution')).toMatchObject({ state: 'met' });
    expect(await clock(id, 'regulator')).toMatchObject({ state: 'met' });
  });
});
