import { sweepBlobs } from '../../src/attachments/sweep-blobs.js';
import { emptyBin } from '../support/attachments.js';
import { planDefinition } from '../../src/definitions/plan-definition.js';
import { readDefinition } from '../../src/definitions/source/read-definition.js';
import { cases, definition, mail, type Sending, startSending } from './sending.js';

let at: Sending;
beforeAll(async () => {
  at = await startSending({
    send: [mail({ attach: ['Papers', 'Photos'] })],
    last: [mail({ attach: ['Papers'] }), { type: 'delete_task' }],
  });
});
afterAll(() => at.stop());

const file = (filename: string, text: string) => ({
  filename,
  contentType: 'text/csv',
  base64contents: Buffer.from(text).toString('base64'),
});

const sweep = async () => {
  await emptyBin(at.service);
  return sweepBlobs(at.service.dataSource.manager, at.service.blobs, 0);
};

async function upload(ID: string, field: string, bytes: number): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(bytes, 'x')], { type: 'image/png' }), 'large.png');
  const headers = { Authorization: `Bearer ${await at.service.key('acme')}` };
  const url = `${at.service.url}${cases}/${ID}/attachments/${field}`;
  expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);
}

describe('a mail that takes files of its task along', () => {
  it('sends the files of these fields with their names and types, as they were stored', async () => {
    const Papers = [file('Prüf "1".csv', 'a;b\n1;ä\n'), file('two.csv', 'second')];
    const values = { Contact: 'files@other.test', Title: 't', Papers, Photos: [file('p.csv', 'photo')] };
    expect(await at.perform('send', 'A-1', values)).toEqual({ status: 'Success' });
    await at.ended('A-1');
    const [letter] = await at.mails.lettersTo('files@other.test');
    const raw = letter?.raw ?? '';
    expect(raw).toMatch(/^Content-Type: multipart\/mixed/im);
    expect(raw).toMatch(/text\/html/);
    for (const { base64contents } of [...Papers, ...values.Photos]) expect(raw).toContain(base64contents);
    expect(raw.match(/^Content-Type: text\/csv/gim)).toHaveLength(3);
    expect(raw).toContain('filename=two.csv');
  });

  it('sends none where the fields are blank', async () => {
    expect(await at.perform('send', 'A-2', { Contact: 'blank@other.test' })).toEqual({ status: 'Success' });
    await at.ended('A-2');
    const [letter] = await at.mails.lettersTo('blank@other.test');
    expect(letter?.raw).not.toContain('multipart/mixed');
  });

  it('"10 MB together, else the step fails": nothing is sent', async () => {
    await at.api.post(cases, { ID: 'A-3', Contact: 'large@other.test' }).expect(201);
    for (const field of ['Papers', 'Photos']) await upload('A-3', field, 6 * 2 ** 20 - 10);
    const sent = { task_id: 'A-3', action_id: 'send' };
    const { body } = await at.api.post('/api/v1/workflows/cases/executions', sent).set('Prefer', 'wait=20');
    expect(body).toMatchObject({
      status: 'Fail',
      errors: ['Step 0: attachments are 12 MB, 10 MB at most'],
    });
    expect(await at.messages('A-3')).toEqual([]);
  });

  it('blobs are kept until the mail is sent, also where the file or the task is gone by then', async () => {
    at.mails.behave('kept@other.test', 'rcpt', 550);
    const values = { Contact: 'kept@other.test', Papers: [file('kept.csv', 'kept to the end')] };
    expect(await at.perform('last', 'A-4', values)).toEqual({ status: 'Success' });
    const [failed] = await at.ended('A-4');
    expect(failed?.state).toBe('failed');
    await at.api.get(`${cases}/A-4`).expect(404);
    expect(await sweep()).toBe(0);

    at.mails.behave('kept@other.test', 'rcpt', undefined);
    await at.admin.post(`/api/v1/messages/${failed?.id ?? ''}/retry`).expect(202);
    expect((await at.ended('A-4')).map(({ state }) => state)).toEqual(['sent']);
    const [letter] = await at.mails.lettersTo('kept@other.test');
    expect(letter?.raw).toContain(Buffer.from('kept to the end').toString('base64'));
    expect(await sweep()).toBe(1);
  });

  it.each([
    ['Title', 'is not a file field: Title'],
    ['Peppers', 'is not a field of workflow cases: Peppers; did you mean Papers?'],
  ])('a definition is refused that attaches %s', (field, message) => {
    const wrong = definition(at.receiver.url, { send: [mail({ attach: [field] })] });
    const plan = planDefinition(at.service.dataSource, readDefinition(wrong, 'f.json'));
    return expect(plan).rejects.toThrow(message);
  });
});
