import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Response } from 'supertest';
import { randomText } from '../../src/common/random-id.js';
import {
  download,
  type FileJson,
  filesOf,
  formOf,
  inline,
  sendForm,
  stateOf,
} from '../support/attachments.js';
import {
  api,
  cases,
  docsOf,
  expectNoOrphans,
  key,
  maxFileBytes,
  namesOf,
  newCase,
  service,
  strict,
} from './cases.js';
import { versionOf } from './cases.js';
import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';

describe('6. attachments: one file by multipart/form-data', () => {
  const path = (id: string, field = 'Docs'): string =>
    `${cases}/${encodeURIComponent(id)}/attachments/${encodeURIComponent(field)}`;

  it('answers 201 with the element, which is appended to the others', async () => {
    const [a] = await newCase('form', 'a');
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256));
    const file = { filename: 'b.bin', contentType: 'image/png; x=y' };
    const answer = await sendForm(api, path('form'), { ...file, bytes });
    const shown = {
      ...file,
      contentType: 'image/png',
      blobId: expect.stringMatching(/^[\w-]{27}$/) as string,
    };
    expect([answer.status, answer.body]).toEqual([201, shown]);
    expect(await docsOf('form')).toEqual([a, answer.body]);
    expect((await download(api, (answer.body as FileJson).blobId)).body).toEqual(bytes);
    const proto = await sendForm(api, path('form', 'constructor'), { filename: 'p' });
    expect(proto.status).toBe(201);
    await newCase('a/b ?#%', 'a');
    expect((await sendForm(api, path('a/b ?#%'), { filename: 'b' })).status).toBe(201);
  });

  it('a missing task, field or workflow is 404, and so is a field of another type', async () => {
    const [file] = await newCase('here', 'a');
    const before = await stateOf(service);
    const fields = ['Nope', 'Title', 'Stage', 'Parts', 'docs', 'toString'];
    const elsewhere = [path('nobody'), path('here').replace('cases', 'nope')];
    for (const place of [...elsewhere, ...fields.map((field) => path('here', field))])
      for (const answer of [
        await sendForm(api, place, { filename: 'x' }),
        await api.delete(`${place}/${file?.blobId}`),
      ])
        expect([place, answer.status]).toEqual([place, 404]);
    expect(await stateOf(service)).toEqual(before);
  });

  it('is refused before its body arrives: for limits, a frozen field, its task, key or filename', async () => {
    await newCase('full', 'a', 'b', 'c');
    await newCase('large', 'a');
    const sealed = { ID: 'sealed', Proof: [inline('a')], Seal: [inline('b')] };
    await api.post(strict, sealed).expect(201);
    const largest = { filename: 'x', bytes: Buffer.alloc(maxFileBytes, 'x') };
    expect((await sendForm(api, path('large'), largest)).status).toBe(201);
    const before = await stateOf(service);
    const more = await sendForm(api, path('large'), { filename: 'x', bytes: Buffer.alloc(maxFileBytes + 1) });
    const refusal = { status: 413, detail: 'The file is larger than 200000 bytes.' };
    expect(more.body).toMatchObject(refusal);
    const path422 = { errors: { Docs: ['has a filename that is a path, not a name'] } };
    const frozen = { errors: { Seal: ['cannot be changed after creation'] } };
    for (const [status, body, begun] of [
      [422, { errors: { Docs: ['holds more than 3 files'] } }, { place: path('full') }],
      [422, frozen, { place: `${strict}/sealed/attachments/Seal` }],
      [422, path422, { place: path('large'), filename: 'a/b' }],
      [404, { status: 404 }, { place: path('nobody') }],
      [401, { status: 401 }, { place: path('full'), as: 'wts_x' }],
      [413, refusal, { place: path('large'), length: 50_000_000 }],
    ] as const)
      expect(await beginForm(begun)).toEqual({ status, body: expect.objectContaining(body) as unknown });
    expect(await stateOf(service)).toEqual(before);
  });

  it('a type other than multipart/form-data is 415; two files, no file, or half a form are 400', async () => {
    await newCase('forms', 'a');
    const before = await stateOf(service);
    const { type, body } = formOf({ filename: 'x' });
    const send = (contentType: string, bytes: Buffer | string): Promise<Response> =>
      api.post(path('forms')).set('Content-Type', contentType).send(bytes).then((answer) => answer); // prettier-ignore
    const one = body.toString().replace('--XYZ--\r\n', '');
    for (const [contentType, bytes, status] of [
      ['application/json', JSON.stringify(inline('x')), 415],
      ['multipart/mixed; boundary=XYZ', body, 415],
      ['multipart/form-data', body, 400],
      [type, `${one}${body.toString()}`, 400],
      [type, '--XYZ\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--XYZ--\r\n', 400],
      [type, '--XYZ--\r\n', 400],
      [type, body.subarray(0, -4), 400],
      [type, '', 400],
    ] as const) {
      const answer = await send(contentType, bytes);
      expect([contentType, answer.status, answer.headers['content-type']]).toEqual([contentType, status, 'application/problem+json; charset=utf-8']); // prettier-ignore
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('a form may have 20 short fields around its file, whose filename may be escaped UTF-8', async () => {
    await newCase('fields', 'a');
    const before = await stateOf(service);
    const field = (value: string): string =>
      `--XYZ\r\nContent-Disposition: form-data; name="__proto__[x]"\r\n\r\n${value}\r\n`;
    const { type, body } = formOf({ filename: 'r\u00e9sum\u00e9 %22x%22.txt' });
    const send = (fields: string): Promise<Response> =>
      api.post(path('fields')).set('Content-Type', type).send(fields + body.toString()).then((answer) => answer); // prettier-ignore
    for (const [fields, detail] of [
      [field('x').repeat(21), 'The form has more than 20 fields besides the file.'],
      [field('x'.repeat(4097)), 'A field of the form is longer than 4096 bytes.'],
    ] as const)
      expect((await send(fields)).body).toMatchObject({ status: 400, detail });
    expect(await stateOf(service)).toEqual(before);
    expect((await send(field('x'.repeat(4096)).repeat(15))).status).toBe(201);
    expect(namesOf(await docsOf('fields'))).toEqual(['a', 'r\u00e9sum\u00e9 "x".txt']);
  });

  it('DELETE removes a file: 204, then 404; its download is 404 at once', async () => {
    const [a, b, c] = await newCase('delete', 'a', 'b', 'c');
    const foreign = (await newCase('delete other', 'x'))[0];
    for (const [place, blobId] of [
      [path('delete', 'Photos'), b?.blobId],
      [path('delete other'), b?.blobId],
      [path('delete'), foreign?.blobId],
      [path('delete'), randomText(20)],
      [path('delete'), '__proto__'],
    ])
      await api.delete(`${place}/${blobId}`).expect(404);
    const answer = await api.delete(`${path('delete')}/${b?.blobId}`).expect(204);
    expect(answer.text).toBe('');
    await api.delete(`${path('delete')}/${b?.blobId}`).expect(404);
    expect(await docsOf('delete')).toEqual([a, c]);
    expect((await download(api, b?.blobId ?? '')).status).toBe(404);
    await expectNoOrphans();
  });

  it('a client that disconnects in the middle of a body leaves nothing', async () => {
    const files = await newCase('away', 'a');
    const { type, body } = formOf({ filename: 'x', bytes: Buffer.alloc(150_000) });
    const headers = { 'Content-Type': type, 'Content-Length': body.length, Authorization: `Bearer ${key}` };
    const sent = request(`${service.url}${path('away')}`, { method: 'POST', headers });
    const write = service.blobs.write.bind(service.blobs);
    let stored = Promise.resolve();
    const begun = new Promise<void>((resolve) => {
      jest.spyOn(service.blobs, 'write').mockImplementation((id, bytes) => {
        resolve();
        return (stored = write(id, bytes));
      });
    });
    sent.on('error', () => undefined).write(body.subarray(0, 140_000));
    await begun;
    sent.destroy();
    await expect(stored).rejects.toThrow();
    jest.restoreAllMocks();
    expect(await docsOf('away')).toEqual(files);
    await expectNoOrphans();
  });

  /** Announces a form of so many bytes, sends its first ones only, and gives the answer to that. */
  async function beginForm({ place, filename = 'x', length = 150_000, as = key }: Begun): Promise<object> {
    const { type, body } = formOf({ filename });
    const headers = { 'Content-Type': type, 'Content-Length': length, Authorization: `Bearer ${as}` };
    const sent = request(`${service.url}${place}`, { method: 'POST', headers });
    sent.on('error', () => undefined).write(body.subarray(0, -11));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const read = await text(answer);
    sent.destroy();
    return { status: answer.statusCode, body: JSON.parse(read) as unknown };
  }

  interface Begun {
    readonly place: string;
    readonly filename?: string;
    readonly length?: number;
    readonly as?: string;
  }
});

describe('attachments are correct when requests come at once', () => {
  const path = (id: string): string => `${cases}/${id}/attachments/Docs`;

  /** Sends requests for a task that is locked, and lets it go when some of them wait for it. */
  async function behind(id: string, ...requests: PromiseLike<Response>[]): Promise<Response[]> {
    const release = await holdTasks(service.dataSource, 'acme', id);
    const answers = Promise.all(requests);
    await blocked(service.dataSource, 2);
    await release();
    return answers;
  }

  it('uploads to one field all succeed, beside an update of another, until its limit', async () => {
    await api.post(cases, { ID: 'crowd' }).expect(201);
    const answers = await behind(
      'crowd',
      ...['a', 'b', 'c', 'd'].map((filename) => sendForm(api, path('crowd'), { filename })),
      api.put(cases, { ID: 'crowd', Title: 'x' }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201, 201, 201, 422]);
    const task = await api.get(`${cases}/crowd`).expect(200);
    expect([versionOf(task), (task.body as { Title: string }).Title]).toEqual([5, 'x']);
    const landed = answers.filter(({ status }) => status === 201).map(({ body }) => body as FileJson);
    expect(filesOf(task, 'Docs')).toEqual(expect.arrayContaining(landed));
    for (const { blobId, filename } of landed)
      expect((await download(api, blobId)).body.toString()).toBe(filename);
    await expectNoOrphans();
  });

  it('a payload that keeps a file, and the DELETE of that file, happen in some order', async () => {
    const [a, b] = await newCase('kept', 'a', 'b');
    const [put, deleted] = await behind(
      'kept',
      api.put(cases, { ID: 'kept', Docs: [a, inline('n'), b] }),
      api.delete(`${path('kept')}/${a?.blobId}`),
    );
    expect(deleted?.status).toBe(204);
    if (put?.status !== 200)
      expect(put?.body).toEqual({ errors: { Docs: ['names a file that is not on this task'] } });
    expect(namesOf(await docsOf('kept'))).toEqual(put?.status === 200 ? ['n', 'b'] : ['b']);
    await expectNoOrphans();
  });

  it('uploads beside the DELETE of their task leave nothing', async () => {
    await newCase('gone', 'a');
    const [deleted, form, put] = await behind(
      'gone',
      api.delete(`${cases}/gone`),
      sendForm(api, path('gone'), { filename: 'b' }),
      api.put(cases, { ID: 'gone', Photos: [inline('c')] }),
    );
    expect(deleted?.status).toBe(204);
    expect([201, 404]).toContain(form?.status);
    expect([200, 404]).toContain(put?.status);
    await api.get(`${cases}/gone`).expect(404);
    await expectNoOrphans();
  });
});

// At the end, because the service tries out a store that has refused, with a file that it deletes at once.
it('6. attachments: a store that refuses is 503, and no task names a missing file', async () => {
  const before = await api.post(cases, { ID: 'full-disk', Title: 'a', Docs: [inline('a')] }).expect(201);
  const [a] = filesOf(before, 'Docs');
  const state = await stateOf(service);
  const full = Object.assign(new Error('refused'), { code: 'ENOSPC' });
  jest.spyOn(service.blobs, 'write').mockRejectedValue(full);
  for (const answer of [
    await api.put(cases, { ID: 'full-disk', Title: 'b', Docs: [a, inline('b')] }),
    await api.post(cases, { ID: 'fresh', Docs: [inline('b')] }),
    await sendForm(api, `${cases}/full-disk/attachments/Docs`, { filename: 'b' }),
  ]) {
    expect(answer.body).toMatchObject({ status: 503, detail: 'The file cannot be stored at the moment.' });
    expect(answer.headers['retry-after']).toBe('1');
  }
  await api.put(cases, { ID: 'full-disk', Title: 'a' }).expect(200);
  expect(await stateOf(service)).toEqual(state);
  jest.restoreAllMocks();
  jest.spyOn(service.blobs, 'read').mockRejectedValue(new Error('refused'));
  await api.get(`/api/v1/files/${a?.blobId}`).expect(503, /The file cannot be read at the moment\./);
  jest.restoreAllMocks();
  expect((await sendForm(api, `${cases}/full-disk/attachments/Docs`, { filename: 'c' })).status).toBe(201);
  expect(namesOf(await docsOf('full-disk'))).toEqual(['a', 'c']);
});
