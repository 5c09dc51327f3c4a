import { inline } from '../support/attachments.js';
import { sendForm, signIn } from '../support/console.js';
import { type Example, type Outcome, startExample } from './example.js';

// docs/examples/complaints.yaml: "acknowledged within 3 working days, answered within 8 weeks of receipt, first response
// and resolution by priority". It is Monday, the 4th of March 2030, 09:00 in London; until the 31st that is UTC.
describe('the complaints of a bank', () => {
  let bank: Example;
  beforeAll(async () => {
    bank = await startExample('complaints.yaml', 'desk', '2030-03-04T08:30:00Z');
    // To the minute, however long the start took.
    await bank.sentBy('2030-03-04T09:00:00Z');
  });
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
  const stageOf = async (id: string): Promise<unknown> => (await bank.task('complaints', id))['Stage'];
  const linesBy = async (time: string): Promise<string[]> =>
    (await bank.sentBy(time)).map(({ line }) => line);
  const clock = async (id: string, name: string): Promise<object> => {
    const { state, due_at } = (await bank.clock('complaints', id, name)) ?? {};
    return { state, due_at };
  };
  const attach = (id: string, text: string): Promise<unknown> =>
    bank.change('complaints', id, { Letter: [inline('letter.txt', text)] });

  it('P1: the lead is told at 75 % and at the end of a working hour, and decides on the answer', async () => {
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

  it('P3: a day on which it waits for the customer does not count; what the customer writes opens it', async () => {
    await bank.sentBy('2030-03-05T09:00:00Z');
    const id = await complain();
    await bank.sent();
    expect(await bank.task('complaints', id)).toMatchObject({ Priority: 'P3' });
    // "else 3 working_days": Wednesday, Thursday, Friday.
    expect(await clock(id, 'first-response')).toEqual({ state: 'running', due_at: '2030-03-08T17:30:00.000Z' }); // prettier-ignore
    await act(id, 'respond', 'arno');
    expect(await clock(id, 'first-response')).toMatchObject({ state: 'met' });
    expect(await clock(id, 'resolution')).toEqual({ state: 'running', due_at: '2030-03-19T17:30:00.000Z' });

    await bank.sentBy('2030-03-06T10:00:00Z');
    expect(await act(id, 'wait', 'arno')).toMatchObject({ status: 'Success' });
    expect((await bank.sent()).map(({ line }) => line)).toEqual([`carl@home.test: Your complaint ${id}`]);
    expect(await clock(id, 'resolution')).toEqual({ state: 'paused', due_at: null });

    // Wednesday, Thursday and Friday were paused at their closing.
    await bank.sentBy('2030-03-11T10:00:00Z');
    const path = bank.at('complaints', `/${id}/comments`);
    await bank.api.post(path, { body: 'I have called him', performed_by: 'arno@desk.test' }).expect(201);
    await bank.sent();
    expect(await stageOf(id)).toBe('Waiting for Customer');
    await bank.api.post(path, { body: 'Here is the receipt' }).expect(201);
    await bank.sent();
    expect(await stageOf(id)).toBe('Open');
    expect(await clock(id, 'resolution')).toEqual({ state: 'running', due_at: '2030-03-22T17:30:00.000Z' });

    // 75 % of 10 days are 8: the 20th.
    expect(await linesBy('2030-03-20T17:29:00Z')).toEqual([]);
    expect(await linesBy('2030-03-20T17:31:00Z')).toEqual([`lea@desk.test: Complaint ${id} is late`]);
    expect(await act(id, 'answer', 'arno', { Answer: 'It was ours' })).toMatchObject({ status: 'Success' });
    expect(await clock(id, 'resolution')).toMatchObject({ state: 'met' });
    await bank.sent();
  });

  it('P2: what an answer needs is asked for and judged; what was answered is locked until the customer writes', async () => {
    await bank.sentBy('2030-03-21T09:00:00Z');
    const id = await complain({ Priority: 'P2' });
    await bank.sent();
    expect(await clock(id, 'first-response')).toEqual({ state: 'running', due_at: expect.stringContaining('2030-03-21T13:00') }); // prettier-ignore
    await act(id, 'respond');
    expect(await act(id, 'answer')).toEqual({ errors: { Answer: ['is required'] } });
    expect(await act(id, 'answer', 'agnes', { Answer: 'Yes', Redress: 100_001 })).toEqual({
      errors: { Redress: [expect.stringContaining('100000')] },
    });
    expect(await act(id, 'answer', 'agnes', { Answer: 'Yes', Redress: 500.01 })).toMatchObject({
      errors: ['Redress above 500 needs the letter'],
    });
    expect(await bank.change('complaints', id, { Answer: 'Yes', Redress: 1, 'Last Day': null })).toEqual({
      Answer: ['is changed by an action'],
      Redress: ['is changed by an action'],
      'Last Day': ['is changed by an action'],
    });
    expect(await bank.change('complaints', id, { Stage: 'Answered' })).toEqual({
      Stage: ['is entered by an action'],
    });
    expect(await stageOf(id)).toBe('Open');
    expect(await act(id, 'answer', 'agnes', { Answer: 'Yes', Redress: 500 })).toMatchObject({
      status: 'Success',
    });

    // "change: by_actions": nothing but steps changes what the customer was told.
    const locked = ['may not be changed in Answered'];
    expect(await bank.change('complaints', id, { Subject: 'Two fees', Stage: 'Open' })).toEqual({
      Subject: locked,
      Stage: locked,
    });
    expect(await attach(id, 'too late')).toEqual({ Letter: locked });
    const { body } = await bank.api.delete(bank.at('complaints', `/${id}`)).expect(422);
    expect(body).toMatchObject({ errors: { base: ['may not be deleted in Answered'] } });

    await bank.sent();
    await bank.api.post(bank.at('complaints', `/${id}/comments`), { body: 'That is not enough' }).expect(201);
    await bank.sent();
    expect(await stageOf(id)).toBe('Open');
    expect(await clock(id, 'regulator')).toMatchObject({ state: 'running' });
    expect(await bank.runs('complaints', id)).toEqual([
      expect.stringMatching(/^last-day started/),
      expect.stringMatching(/^customer-wrote started/),
    ]);
    expect(
      await act(id, 'answer', 'agnes', { Answer: 'Yes, and more', Redress: 499 }),
    ).toMatchObject({ status: 'Success' }); // prettier-ignore
    expect(await bank.task('complaints', id)).toMatchObject({ Answer: 'Yes, and more', Redress: '499.00' });
    await bank.sent();
  });

  it('a customer who is silent for 14 days, and a last day that is 7 days off, are told of each on its working day', async () => {
    await bank.sentBy('2030-03-22T10:00:00Z');
    const id = await complain({ 'Received On': '2030-03-18' });
    const late = `lea@desk.test: Complaint ${id} is late`;
    await act(id, 'respond');
    await act(id, 'wait');
    expect((await bank.sent()).map(({ line }) => line)).toEqual([`carl@home.test: Your complaint ${id}`]);

    // On Friday, the 5th of April, at 09:00 it is silent for less than 336 hours. The weekend's looks move to Monday, 09:00 of summer time.
    expect(await linesBy('2030-04-05T09:00:00Z')).toEqual([]);
    expect(await linesBy('2030-04-07T12:00:00Z')).toEqual([]);
    expect(await linesBy('2030-04-08T07:59:00Z')).toEqual([]);
    expect(await linesBy('2030-04-08T08:01:00Z')).toEqual([late]);
    expect(await linesBy('2030-04-09T08:01:00Z')).toEqual([late]);

    // The last day is the 13th of May, and ends at midnight.
    expect(await bank.task('complaints', id)).toMatchObject({ 'Last Day': '2030-05-13' });
    expect(await clock(id, 'regulator')).toEqual({ state: 'running', due_at: '2030-05-13T23:00:00.000Z' });
    await bank.sentBy('2030-05-06T22:00:00Z');
    expect(await linesBy('2030-05-06T23:01:00Z')).toEqual([late]);
    expect(await clock(id, 'resolution')).toEqual({ state: 'paused', due_at: null });
  });
});
