import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headerText, startMailServer } from '../messages/mail-server.js';
import { inline } from '../support/attachments.js';
import { sendForm, signIn } from '../support/console.js';
import { startService } from '../support/service.js';

const complaints = '/api/v1/workflows/complaints';
const mails = await startMailServer();
const service = await startService({
  WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
  WTS_MAIL_FROM: 'Office <office@wts.test>',
});
await service.settle({ at: '2030-03-04T09:00:00Z', kind: 'none' });
const example = join(import.meta.dirname, '../../docs/examples/complaints.yaml');
const api = await service.clientOf(readFileSync(example, 'utf8'));

// docs/examples/complaints.yaml: "acknowledged within 3 working days, answered within 8 weeks of receipt, first response
// and resolution by priority". It is Monday, the 4th of March 2030, 09:00 in London; until the 31st that is UTC.
describe('the complaints of a bank', () => {
  afterAll(async () => {
    await service.stop();
    await mails.stop();
  });

  let Number = '';
  const task = (): Promise<Record<string, unknown>> => api.read(`${complaints}/tasks/${Number}`);
  const act = async (action_id: string, fields?: object): Promise<unknown> => {
    const started = { task_id: Number, action_id, performed_by: 'agnes@desk.test', fields };
    return (await api.post(`${complaints}/executions`, started).set('Prefer', 'wait=20')).body;
  };
  const attach = (text: string): Promise<unknown> =>
    api.send(`${complaints}/tasks`, { Number, Letter: [inline('letter.txt', text)] });
  const clock = async (id: string): Promise<object | undefined> => {
    await service.settle({ kind: 'follow' });
    const clocks = await api.read<{ id: string }[]>(`${complaints}/tasks/${Number}/clocks`);
    return clocks.find((each) => each.id === id);
  };

  let seen = 0;
  /** The letters that steps have sent since, when it is this time; not what people are notified of. */
  async function sent(at?: string) {
    await service.settle(at === undefined ? {} : { at });
    const letters = mails.letters.slice(seen);
    seen = mails.letters.length;
    return letters
      .filter(({ headers }) => headers.get('message-id')?.startsWith('<notification.') === false)
      .map(({ to, headers, raw }) => ({ line: `${to}: ${headerText(headers.get('subject'))}`, raw }));
  }
  const linesBy = async (at: string): Promise<string[]> => (await sent(at)).map(({ line }) => line);

  it('P1: the lead gets a message at 75 % and at the end of a working hour, and decides on the answer', async () => {
    const letter = { Subject: 'A fee', 'Customer E-mail': 'carl@home.test', 'Received On': '2030-03-01' };
    ({ Number } = await api.send<{ Number: string }>(`${complaints}/tasks`, { ...letter, Priority: 'P1' }));
    const late = `lea@desk.test: Complaint ${Number} is late`;
    await sent();
    // A letter of the 1st of March: 8 weeks from then, whatever the day on which it was typed in.
    expect(await task()).toMatchObject({ Stage: 'New', 'Last Day': '2030-04-26' });
    const inAnHour = expect.stringContaining('2030-03-04T10:00') as string;
    expect(await clock('first-response')).toMatchObject({ state: 'running', due_at: inAnHour });

    expect(await linesBy('2030-03-04T09:40:00Z')).toEqual([]);
    const [reminder, ...others] = await sent('2030-03-04T09:46:00Z');
    expect([reminder?.line, others]).toEqual([late, []]);
    expect(reminder?.raw).toContain('A fee');
    expect(await linesBy('2030-03-04T10:01:00Z')).toEqual([late]);

    // The first response takes it: too late, which stays known.
    expect(await act('respond')).toMatchObject({ status: 'Success' });
    expect(await task()).toMatchObject({ Stage: 'Open', 'Assigned To': 'agnes@desk.test' });
    expect(await clock('first-response')).toMatchObject({ state: 'breached' });
    // The resolution has 8 working hours from the beginning on: 75 % of them are 15:00.
    const inTheEvening = expect.stringContaining('2030-03-04T17:00') as string;
    expect(await clock('resolution')).toMatchObject({ state: 'running', due_at: inTheEvening });
    expect(await linesBy('2030-03-04T14:55:00Z')).toEqual([]);
    expect(await linesBy('2030-03-04T15:01:00Z')).toEqual([late]);

    // "count: 1, roles: [lead], not: [editors], covers: [Letter]", where the priority is P1.
    await attach('We are sorry.');
    const answer = (): Promise<unknown> => act('answer', { Answer: 'You get it back', Redress: 600 });
    const missing = 'needs 1 more approval of lead: lea@desk.test may';
    expect(await answer()).toMatchObject({ errors: [missing] });
    const lea = await signIn(service, 'lea@desk.test');
    const page = new URL(String((await task())['Task URL'])).pathname;
    const approve = async (): Promise<number> =>
      (await sendForm(lea, await lea.get(page), '/approvals', { decision: 'approve', comment: '' })).status;
    expect(await approve()).toBe(303);
    await attach('We are very sorry.');
    const stale = 'an approval is stale: Letter has changed since';
    expect(await answer()).toMatchObject({ errors: [missing, stale] });
    expect(await approve()).toBe(303);
    expect(await answer()).toMatchObject({ status: 'Success' });
    expect(await task()).toMatchObject({ Stage: 'Answered', Redress: '600.00' });
    const [reply, ...more] = await sent();
    expect([reply?.line, more]).toEqual([`carl@home.test: Your complaint ${Number}`, []]);
    expect(reply?.raw).toContain('You get it back');
    expect(reply?.raw).toContain(Buffer.from('We are very sorry.').toString('base64'));
    expect(await clock('resolution')).toMatchObject({ state: 'met' });
    expect(await clock('regulator')).toMatchObject({ state: 'met' });
  });
});
