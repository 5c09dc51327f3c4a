import { parse } from 'content-disposition';
import {
  download,
  type Downloaded,
  type FileJson,
  filesOf,
  inline,
  sendForm,
} from '../support/attachments.js';
import { type RawAnswer, sendRaw } from '../support/raw-request.js';
import { api, cases, key, namesOf, service } from './cases.js';

describe('6. attachments: download', () => {
  const content = '0123456789';
  let file: FileJson;
  let tag: string;
  beforeAll(async () => {
    const Docs = [{ ...inline('r\u00e9sum\u00e9 "1".txt', content), contentType: 'text/plain; charset=x' }];
    file = filesOf(await api.post(cases, { ID: 'download', Docs }).expect(201), 'Docs')[0] as FileJson;
    tag = String((await download(api, file.blobId)).headers['etag']);
  });
  const get = (headers: Readonly<Record<string, string>> = {}): ReturnType<typeof download> =>
    download(api, file.blobId, headers);

  const shown = (): Record<string, unknown> => ({
    'content-disposition': `attachment; filename="r?sum? \\"1\\".txt"; filename*=UTF-8''r%C3%A9sum%C3%A9%20%221%22.txt`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
    etag: tag,
  });
  const whole = (): Record<string, unknown> => ({
    ...shown(),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '10',
  });
  /** The headers but those that every answer has. */
  const headersOf = ({ headers }: Pick<Downloaded, 'headers'>): object => {
    const { date: _d, connection: _c, 'keep-alive': _k, 'x-request-id': _r, ...rest } = headers as Record<string, string>; // prettier-ignore
    return rest;
  };

  it('answers the raw bytes with the specified headers', async () => {
    const answer = await get();
    expect([answer.status, answer.body.toString(), headersOf(answer)]).toEqual([200, content, whole()]);
    expect(tag).toBe('"84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"');
  });

  // Express reads ranges.
  it.each([
    ['bytes=3-6', '3456', '3-6'],
    ['bytes=-3', '789', '7-9'],
  ])('Range: %s is 206', async (range, bytes, part) => {
    const answer = await get({ Range: range });
    const headers = { ...whole(), 'content-length': `${bytes.length}`, 'content-range': `bytes ${part}/10` };
    expect([answer.status, answer.body.toString(), headersOf(answer)]).toEqual([206, bytes, headers]);
  });

  it('a Range after the end is 416, a problem document with Content-Range', async () => {
    const answer = await api.get(`/api/v1/files/${file.blobId}`).set('Range', 'bytes=10-').expect(416);
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes */10' });
    expect(answer.body).toMatchObject({ status: 416, detail: 'The file has no bytes in this range.' });
  });

  it.each(['bytes=0-1,3-4', 'lines=1-2'])(
    'Range: %s, which is several ranges or none, is the whole file',
    async (range) => {
      const answer = await get({ Range: range });
      expect([answer.status, answer.body.toString(), headersOf(answer)]).toEqual([200, content, whole()]);
    },
  );

  it('If-Range with the current entity tag gives the part, and otherwise the whole file', async () => {
    const part = (condition: string) => get({ Range: 'bytes=0-1', 'If-Range': condition });
    expect(await part(tag)).toMatchObject({ status: 206, body: Buffer.from('01') });
    for (const other of ['"x"', `W/${tag}`, 'Sat, 21 Nov 2026 10:00:00 GMT'])
      expect(await part(other)).toMatchObject({ status: 200, body: Buffer.from(content) });
  });

  it('HEAD has the headers of GET and no body, whatever range it asks for', async () => {
    const head = (blobId: string, headers: readonly [string, string][] = []): Promise<RawAnswer> => {
      const own: [string, string] = ['Authorization', `Bearer ${key}`];
      const path = `/api/v1/files/${blobId}`;
      return sendRaw(service.url, { method: 'HEAD', path, headers: [own, ...headers] });
    };
    for (const headers of [[], [['Range', 'bytes=0-1']], [['Range', 'bytes=50-']]] as [string, string][][])
      expect(await head(file.blobId, headers)).toMatchObject({ status: 200, body: '', headers: whole() });
    expect(await head('unknown')).toMatchObject({ status: 404, body: '' });
  });

  it('If-None-Match: 304 without a body, also before a range', async () => {
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await get({ 'If-None-Match': known, Range: 'bytes=50-' });
      expect([answer.status, answer.body.length, headersOf(answer)]).toEqual([304, 0, shown()]);
    }
    expect((await get({ 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('active content is downloaded as an attachment of a harmless type', async () => {
    const types = ['TEXT/HTML; charset=utf-7', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'text/javascript', 'message/rfc822', 'image/png2; a="text/html"']; // prettier-ignore
    const page = inline('a.html', '<script>alert(1)</script>');
    const Photos = types.map((contentType) => ({ ...page, contentType }));
    const answer = await api.post(cases, { ID: 'active content', Photos }).expect(201);
    const downloads = await Promise.all(filesOf(answer, 'Photos').map(({ blobId }) => download(api, blobId)));
    expect(downloads).toHaveLength(types.length);
    for (const { headers } of downloads)
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': expect.stringMatching(/^attachment; filename="?a.html"?$/) as unknown,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
  });

  it.each([
    ['image/png', 'image/png'],
    ['image/jpeg; q="text/html"', 'image/jpeg'],
    ['IMAGE/GIF', 'image/gif'],
    ['image/webp', 'image/webp'],
    ['application/pdf', 'application/pdf'],
    ['text/plain;charset=utf-16', 'text/plain; charset=utf-8'],
  ])('a file of type %s is sent as %s', async (contentType, told) => {
    const Docs = [{ ...inline('a'), contentType }];
    const answer = await api.post(cases, { ID: `type ${told}`, Docs });
    const [{ blobId } = { blobId: '' }] = filesOf(answer, 'Docs');
    expect((await download(api, blobId)).headers['content-type']).toBe(told);
  });
});

describe('F9 filenames', () => {
  // Every odd name is tested beside the code that reads names and writes headers.
  const accepted = ['a b.txt', '...', '-rf', 'CON', 'a"; filename="b.exe', "UTF-8''x", 'a;b,c=d', '%0d%0aX: y', '__proto__', 'résumé.pdf', '\u202etxt.exe', '\u{1f600}.png', 'a'.repeat(255)]; // prettier-ignore

  it('odd filenames come back in JSON, and in the header of the download', async () => {
    const Photos = accepted.map((name) => inline(name, 'x'));
    const answer = await api.post(cases, { ID: 'names', Photos }).expect(201);
    expect(namesOf(filesOf(answer, 'Photos'))).toEqual(accepted);
    expect((await api.put(cases, (await api.get(`${cases}/names`)).text).expect(200)).text).toBe(answer.text);
    for (const { blobId, filename } of filesOf(answer, 'Photos')) {
      const header = String((await download(api, blobId)).headers['content-disposition']);
      expect(header).toMatch(/^attachment; [ -~]+$/);
      expect(parse(header).parameters['filename']).toBe(filename);
    }
  });

  it('and so do odd filenames that a form can send', async () => {
    const names = accepted.filter((name) => !/["%]/.test(name));
    for (const filename of names) {
      const answer = await sendForm(api, `${cases}/names/attachments/Photos`, { filename, bytes: 'y' });
      expect([answer.status, answer.body]).toEqual([201, { ...(answer.body as FileJson), filename }]);
    }
  });
});
