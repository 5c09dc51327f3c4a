import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Response } from 'supertest';
import { randomText } from '../../src/lib/random-id.js';
import {
  blobIds,
  download,
  type FileJson,
  filesOf,
  type FormFile,
  formOf,
  inline,
  sendForm,
  stateOf,
} from '../support/attachments.js';
import { type Client } from '../support/service.js';
import {
  api,
  cases,
  close,
  docsOf,
  expectNoOrphans,
  key,
  maxFileBytes,
  missing,
  namesOf,
  newCase,
  open,
  other,
  problemOf,
  service,
  strict,
  tooLarge,
  versionOf,
} from './cases.js';
import { served } from '../support/served.js';
import { until } from '../support/until.js';

beforeAll(open);
afterAll(close);

describe('6. attachments: one file by multipart/form-data', () => {
  const path = (id: string, field = 'Docs'): string =>
    `${cases}/${encodeURIComponent(id)}/attachments/${encodeURIComponent(field)}`;

  it('answers 201 with the element, which stands behind the others', async () => {
    const [a] = await newCase('form', 'a');
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256));
    const answer = await sendForm(api, path('form'), {
      filename: 'b.bin',
      bytes,
      contentType: 'image/png; x=y',
    });
    expect([answer.status, answer.body]).toEqual([
      201,
      { blobId: expect.stringMatching(/^[\w-]{27}$/), contentType: 'image/png; x=y', filename: 'b.bin' },
    ]);
    expect(await docsOf('form')).toEqual([a, answer.body]);
    expect((await download(api, (answer.body as FileJson).blobId)).body).toEqual(bytes);
    const proto = await sendForm(api, path('form', 'constructor'), { filename: 'p' });
    expect(proto.status).toBe(201);
    await newCase('a/b ?#%', 'a');
    expect((await sendForm(api, path('a/b ?#%'), { filename: 'b' })).status).toBe(201);
  });

  it('a task, field or workflow that is not there is 404; so is a field of another type', async () => {
    await newCase('here', 'a');
    const before = await stateOf(service);
    for (const place of [
      path('nobody'),
      path('here', 'Nope'),
      path('here', 'Title'),
      path('here', 'Stage'),
      path('here', 'Parts'),
      path('here', 'docs'),
      path('here', 'toString'),
      path('here').replace('cases', 'nope'),
    ]) {
      for (const answer of [
        await sendForm(api, place, { filename: 'x' }),
        await api.delete(`${place}/${(await docsOf('here'))[0]?.blobId}`),
      ])
        expect([place, answer.status, problemOf(answer)]).toEqual([place, 404, missing]);
    }
    const foreign = await sendForm(other, path('here'), { filename: 'x' });
    expect([foreign.status, problemOf(foreign)]).toEqual([404, missing]);
    expect(await stateOf(service)).toEqual(before);
  });

  it('a workflow without a Unique ID field is 422', async () => {
    const place = '/api/v1/workflows/nameless/tasks/1/attachments/Docs';
    for (const answer of [await sendForm(api, place, { filename: 'x' }), await api.delete(`${place}/x`)])
      expect([answer.status, answer.body]).toEqual([
        422,
        { errors: { base: ['This workflow has no Unique ID field'] } },
      ]);
  });

  it('refuses without reading the body what needs no body: limit, frozen field, unknown task, scope', async () => {
    await newCase('full', 'a', 'b', 'c');
    const sealed = { ID: 'sealed', Proof: [inline('a')], Seal: [inline('b')] };
    await api.post(strict, sealed).expect(201);
    const reader = await service.key('acme', 'read');
    const before = await stateOf(service);
    for (const [place, status, body, as] of [
      [path('full'), 422, { errors: { Docs: ['holds more than 3 files'] } }, key],
      [
        `${strict}/sealed/attachments/Seal`,
        422,
        { errors: { Seal: ['cannot be changed after creation'] } },
        key,
      ],
      [path('nobody'), 404, expect.objectContaining(missing), key],
      [path('full'), 403, expect.objectContaining({ status: 403, title: 'Forbidden' }), reader],
      [path('full'), 401, expect.objectContaining({ status: 401 }), 'wts_x'],
    ] as const) {
      const answer = await beginForm(place, 150_000, as);
      expect([answer.status, answer.body, answer.connection]).toEqual([status, body, 'close']);
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('413 when the file is too large, with Connection: close, and nothing is stored', async () => {
    await newCase('large', 'a');
    const largest = { filename: 'x', bytes: Buffer.alloc(maxFileBytes, 'x') };
    expect((await sendForm(api, path('large'), largest)).status).toBe(201);
    const before = await stateOf(service);
    const streamed = await sendForm(api, path('large'), {
      ...largest,
      bytes: Buffer.alloc(maxFileBytes + 1),
    });
    const refusal = tooLarge('The file is larger than 200000 bytes.');
    expect([streamed.status, problemOf(streamed), streamed.headers['connection']]).toEqual([
      413,
      refusal,
      'close',
    ]);
    const announced = await beginForm(path('large'), 50_000_000);
    expect([announced.status, problemOf(announced), announced.connection]).toEqual([413, refusal, 'close']);
    expect(await stateOf(service)).toEqual(before);
  });

  it('a bad filename or media type is 422 on the field', async () => {
    await newCase('bad', 'a');
    const before = await stateOf(service);
    for (const [file, message] of [
      [{ filename: '../x' }, 'has a filename that is a path, not a name'],
      [{ filename: '' }, 'has a filename that is empty'],
      [{ filename: 'x'.repeat(256) }, 'has a filename that is longer than 255 bytes'],
      [{ filename: 'x', contentType: 'text/html;image/png' }, 'has a contentType that is not a media type'],
    ] as const) {
      const answer = await sendForm(api, path('bad'), file);
      expect([answer.status, answer.body]).toEqual([422, { errors: { Docs: [message] } }]);
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('another type than multipart/form-data is 415; two files, no file, or half a form are 400', async () => {
    await newCase('forms', 'a');
    const before = await stateOf(service);
    const { type, body } = formOf({ filename: 'x' });
    const send = (contentType: string, bytes: Buffer | string): Promise<Response> =>
      api.post(path('forms')).set('Content-Type', contentType).send(bytes).then((answer) => answer); // prettier-ignore
    const one = body.toString().replace('--XYZ--\r\n', '');
    for (const [contentType, bytes, status] of [
      ['application/json', JSON.stringify(inline('x')), 415],
      ['multipart/mixed; boundary=XYZ', body, 415],
      ['application/x-www-form-urlencoded', 'file=x', 415],
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

  it('a read scope is 403 for both', async () => {
    const [a] = await newCase('scoped', 'a');
    const reader = service.client(await service.key('acme', 'read'));
    const before = await stateOf(service);
    expect((await sendForm(reader, path('scoped'), { filename: 'x' })).status).toBe(403);
    await reader.delete(`${path('scoped')}/${a?.blobId}`).expect(403);
    expect(await stateOf(service)).toEqual(before);
  });

  it('DELETE takes one away: 204, then 404; the download is 404 at once', async () => {
    const [a, b, c] = await newCase('delete', 'a', 'b', 'c');
    const foreign = (await newCase('delete other', 'x'))[0];
    for (const [place, blobId] of [
      [path('delete', 'Photos'), b?.blobId],
      [path('delete other'), b?.blobId],
      [path('delete'), foreign?.blobId],
      [path('delete'), randomText(20)],
      [path('delete'), '__proto__'],
    ])
      expect(problemOf(await api.delete(`${place}/${blobId}`).expect(404))).toEqual(missing);
    const answer = await api.delete(`${path('delete')}/${b?.blobId}`).expect(204);
    expect(answer.text).toBe('');
    await api.delete(`${path('delete')}/${b?.blobId}`).expect(404);
    expect(await docsOf('delete')).toEqual([a, c]);
    expect((await download(api, b?.blobId ?? '')).status).toBe(404);
    await expectNoOrphans();
  });

  it('who is refused in the middle of a body is told that the connection ends', async () => {
    await newCase('middle', 'a');
    for (const [file, errors] of [
      [{ filename: 'a/b' }, { Docs: ['has a filename that is a path, not a name'] }],
      [{ filename: 'a', contentType: 'x' }, { Docs: ['has a contentType that is not a media type'] }],
    ] as const) {
      const answer = await beginForm(path('middle'), 150_000, key, file);
      expect([answer.status, answer.body, answer.connection]).toEqual([422, { errors }, 'close']);
    }
  });

  it('a client that goes away in the middle of a body leaves nothing', async () => {
    await newCase('away', 'a');
    const before = await stateOf(service);
    const { type, body } = formOf({ filename: 'x', bytes: Buffer.alloc(150_000) });
    const headers = { 'Content-Type': type, 'Content-Length': body.length, Authorization: `Bearer ${key}` };
    const uploads = Array.from({ length: 5 }, () => {
      const sent = request(`${service.url}${path('away')}`, { method: 'POST', headers });
      sent.on('error', () => undefined).write(body.subarray(0, 140_000));
      return sent;
    });
    const rows = async (): Promise<number> => (await blobIds(service)).rows.length;
    const known = (before as { blobs: object[] }).blobs.length;
    await until(async () => (await rows()) === known + 5);
    for (const sent of uploads) sent.destroy();
    await until(async () => (await rows()) === known);
    expect(await stateOf(service)).toEqual(before);
  });

  interface Begun {
    readonly status: number;
    readonly body: unknown;
    readonly connection: string | undefined;
  }

  /** Announces a form of so many bytes, sends its first ones only, and gives the answer to that. */
  async function beginForm(
    place: string,
    length: number,
    as = key,
    file: FormFile = { filename: 'x' },
  ): Promise<Begun> {
    const { type, body } = formOf(file);
    const headers = { 'Content-Type': type, 'Content-Length': length, Authorization: `Bearer ${as}` };
    const sent = request(`${service.url}${place}`, { method: 'POST', headers });
    sent.on('error', () => undefined).write(body.subarray(0, -11));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const read = await text(answer);
    sent.destroy();
    return { status: answer.statusCode ?? 0, body: JSON.parse(read), connection: answer.headers.connection };
  }
});

describe('attachments are correct under concurrency', () => {
  const crowd = Array.from({ length: 20 }, (_, n) => n);
  let crowded: Client;
  const crowds = '/api/v1/workflows/crowds/tasks';

  beforeAll(async () => {
    await service.apply(`
workspace: { id: crowded, name: C }
workflows:
  - id: crowds
    name: Crowds
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Many, type: file, limit: 30 }
      - { name: Few, type: file, limit: 5 }
${crowd.map((n) => `      - { name: F${n}, type: text }`).join('\n')}
`);
    crowded = service.client(await service.key('crowded'));
  });
  const read = (id: string): Promise<Response> => crowded.get(`${crowds}/${id}`).expect(200).then((answer) => answer); // prettier-ignore

  it('20 uploads to one field at once all land, beside updates of other fields', async () => {
    await crowded.post(crowds, { ID: 'many' }).expect(201);
    const path = `${crowds}/many/attachments/Many`;
    const [uploads, updates] = await Promise.all([
      Promise.all(crowd.map((n) => served(() => sendForm(crowded, path, { filename: `f${n}` })))),
      Promise.all(crowd.map((n) => served(() => crowded.put(crowds, { ID: 'many', [`F${n}`]: `v${n}` })))),
    ]);
    expect([...uploads, ...updates].filter(({ status }) => ![200, 201].includes(status))).toEqual([]);
    const task = await read('many');
    expect(task.body).toMatchObject(Object.fromEntries(crowd.map((n) => [`F${n}`, `v${n}`])));
    const files = filesOf(task, 'Many');
    expect(namesOf(files).sort()).toEqual(crowd.map((n) => `f${n}`).sort());
    expect(new Set(uploads.map(({ body }) => (body as FileJson).blobId))).toEqual(new Set(files.map(({ blobId }) => blobId))); // prettier-ignore
    for (const { blobId, filename } of files)
      expect((await download(crowded, blobId)).body.toString()).toBe(filename);
    expect(versionOf(task)).toBe(41);
  });

  it('of 20 uploads to a field with a limit of 5 exactly 5 land, and the others are 422', async () => {
    for (const round of [1, 2, 3]) {
      const id = `few${round}`;
      await crowded.post(crowds, { ID: id }).expect(201);
      const uploads = await Promise.all(
        crowd.map((n) =>
          served(() => sendForm(crowded, `${crowds}/${id}/attachments/Few`, { filename: `f${n}` })),
        ),
      );
      const landed = uploads.filter(({ status }) => status === 201);
      const others = uploads.filter(({ status }) => status !== 201);
      expect(others.map((answer): unknown[] => [answer.status, answer.body])).toEqual(
        Array.from({ length: 15 }, () => [422, { errors: { Few: ['holds more than 5 files'] } }]),
      );
      const ids = landed.map(({ body }) => (body as FileJson).blobId);
      expect(new Set(filesOf(await read(id), 'Few').map(({ blobId }) => blobId))).toEqual(new Set(ids));
    }
    await expectNoOrphans();
  });

  it('20 simultaneous upserts of one new unique id with files make one task, all get 2xx, the files of one stay', async () => {
    const sent = (n: number): object => ({
      ID: 'new',
      Many: [inline(`a${n}`), inline(`b${n}`)],
      [`F${n}`]: 'x',
    });
    const answers = await Promise.all(crowd.map((n) => served(() => crowded.post(crowds, sent(n)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 19 }, () => 200),
      201,
    ]);
    const task = await read('new');
    expect(task.body).toMatchObject(Object.fromEntries(crowd.map((n) => [`F${n}`, 'x'])));
    const [first, second] = namesOf(filesOf(task, 'Many'));
    expect(second).toBe(first?.replace('a', 'b'));
    expect(answers.map((answer) => filesOf(answer, 'Many'))).toContainEqual(filesOf(task, 'Many'));
    await expectNoOrphans();
  });

  it('a payload that keeps a file races with the DELETE of that file: the answers fit some order', async () => {
    for (const round of crowd) {
      const id = `race${round}`;
      const created = await crowded.post(crowds, { ID: id, Many: [inline('a'), inline('b')] }).expect(201);
      const [a, b] = filesOf(created, 'Many');
      const isNew = round % 2 === 0;
      const [put, deleted] = await Promise.all([
        crowded.put(crowds, { ID: id, Many: [a, ...(isNew ? [inline('n')] : []), b] }),
        crowded.delete(`${crowds}/${id}/attachments/Many/${a?.blobId}`),
      ]);
      expect([200, 422]).toContain(put.status);
      expect(deleted.status).toBe(204);
      const files = filesOf(await read(id), 'Many');
      expect(namesOf(files)).toEqual(put.status === 200 && isNew ? ['n', 'b'] : ['b']);
      if (put.status === 200)
        expect(namesOf(filesOf(put, 'Many'))).toEqual(isNew ? ['a', 'n', 'b'] : ['a', 'b']);
      else expect(put.body).toEqual({ errors: { Many: ['names a file that is not on this task'] } });
      for (const { blobId, filename } of files)
        expect((await download(crowded, blobId)).body.toString()).toBe(filename);
    }
    await expectNoOrphans();
  });

  it('uploads race with the DELETE of their task: what a task names has its bytes, and nothing else stays', async () => {
    for (const round of crowd) {
      const id = `gone${round}`;
      await crowded.post(crowds, { ID: id }).expect(201);
      const answers = await Promise.all([
        sendForm(crowded, `${crowds}/${id}/attachments/Many`, { filename: 'a' }),
        crowded.put(crowds, { ID: id, Few: [inline('b')] }),
        crowded.delete(`${crowds}/${id}`),
      ]);
      const [form, put, deleted] = answers.map(({ status }) => status);
      expect([201, 404]).toContain(form);
      expect([200, 404]).toContain(put);
      expect(deleted).toBe(204);
      await crowded.get(`${crowds}/${id}`).expect(404);
    }
    await expectNoOrphans();
  });

  it('F12 downloads race with the DELETE of their file and with a new one: each is the whole file or 404', async () => {
    const contents = crowd.map((n) => Buffer.alloc(maxFileBytes - n, `${n} `));
    await crowded.post(crowds, { ID: 'replaced' }).expect(201);
    for (const content of contents) {
      const answer = await crowded.put(crowds, { ID: 'replaced', Many: [inline('x', content)] }).expect(200);
      const { blobId } = filesOf(answer, 'Many')[0] as FileJson;
      const [, ...downloads] = await Promise.all([
        crowded.put(crowds, { ID: 'replaced', Many: [inline('y')] }).expect(200),
        ...Array.from({ length: 5 }, () => download(crowded, blobId)),
      ]);
      for (const { status, body } of downloads)
        expect([200, 404].includes(status) && (status === 404 || body.equals(content))).toBe(true);
      expect((await download(crowded, blobId)).status).toBe(404);
    }
    await expectNoOrphans();
  });
});
