import { parse } from 'content-disposition';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Response } from 'supertest';
import { sweepBlobs } from '../../src/attachments/blob-sweeper.js';
import { randomText } from '../../src/lib/random-id.js';
import {
  blobIds,
  download,
  type Downloaded,
  type FileJson,
  filesOf,
  type FormFile,
  formOf,
  inline,
  sendForm,
  stateOf,
  storedFiles,
} from '../support/attachments.js';
import { type Client, countVersionsFromOne, startService, type TestService } from '../support/service.js';

const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text }
      - { name: Docs, type: file, limit: 3 }
      - { name: Photos, type: file }
      - { name: constructor, type: file }
  - id: strict
    name: Strict
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text }
      - { name: Proof, type: file, required: true }
      - { name: Seal, type: file, editable: false }
  - id: numbered
    name: Numbered
    stages: [{ name: New }]
    fields:
      - { name: "No", type: uniqueId, autoincrement: true }
      - { name: Docs, type: file }
  - id: nameless
    name: Nameless
    stages: [{ name: New }]
    fields: [{ name: Docs, type: file }]
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields:
      - { name: Part ID, type: uniqueId, required: true }
      - { name: Plans, type: file }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: cases, name: Parts }, to: { workflow: parts, name: Case } }
`;

const maxFileBytes = 200_000;
const cases = '/api/v1/workflows/cases/tasks';
const strict = '/api/v1/workflows/strict/tasks';
const numbered = '/api/v1/workflows/numbered/tasks';
const parts = '/api/v1/workflows/parts/tasks';

let service: TestService;
let api: Client;
let other: Client;
let key: string;

beforeAll(async () => {
  service = await startService({ WTS_MAX_FILE_BYTES: `${maxFileBytes}` });
  await countVersionsFromOne(service);
  await service.apply(definition('acme'));
  await service.apply(definition('other'));
  key = await service.key('acme');
  api = service.client(key);
  other = service.client(await service.key('other'));
});
afterAll(() => service.stop());

/** The sweep, as it is when the grace time of all has passed. */
const sweep = (): Promise<number> => sweepBlobs(service.dataSource.manager, service.blobs, 0);

/** What is stored is exactly what tasks name. */
async function expectNoOrphans(): Promise<void> {
  await sweep();
  const { rows, named } = await blobIds(service);
  expect(rows).toEqual(named);
  expect(await storedFiles(service.config.blobStore)).toEqual(named);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come to hold');
    await wait(10);
  }
}

const versionOf = ({ headers }: Response): number => Number(/^"(\d+)-/.exec(headers['etag'] ?? '')?.[1]);
const namesOf = (files: readonly FileJson[]): string[] => files.map(({ filename }) => filename);

/** A case of this id that holds files of these names under `Docs`. */
async function newCase(id: string, ...names: string[]): Promise<FileJson[]> {
  return filesOf(
    await api.post(cases, { ID: id, Docs: names.map((name) => inline(name)) }).expect(201),
    'Docs',
  );
}

async function docsOf(id: string): Promise<FileJson[]> {
  return filesOf(await api.get(`${cases}/${encodeURIComponent(id)}`).expect(200), 'Docs');
}

async function bytesOf({ blobId }: FileJson): Promise<string> {
  const answer = await download(api, blobId);
  expect(answer.status).toBe(200);
  return answer.body.toString();
}

/** The payload is refused in exactly these words, and neither a row nor a file comes of it. */
async function expectRefused(payload: object | string, errors: object, path = cases): Promise<void> {
  const before = await stateOf(service);
  const answers = [await api.post(path, payload), await api.put(path, payload)];
  for (const { status, body } of answers) expect([status, body]).toEqual([422, { errors }]);
  expect(await stateOf(service)).toEqual(before);
}

/** A problem document, its request id aside. */
function problemOf(answer: Response | { status: number; body: unknown }): object {
  const { request_id, ...problem } = answer.body as Record<string, unknown>;
  expect(typeof request_id).toBe('string');
  expect(problem['status']).toBe(answer.status);
  return problem;
}
const missing = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'There is nothing here that this key can see.',
};
const stale = {
  type: 'about:blank',
  title: 'Precondition Failed',
  status: 412,
  detail: 'The task is not in the version that the request demands.',
};
const tooLarge = (detail: string): object => ({
  type: 'about:blank',
  title: 'Content Too Large',
  status: 413,
  detail,
});

describe('2.2 file attachments in a payload', () => {
  it('a new element has filename, contentType and base64contents; it reads {blobId, contentType, filename}', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const answer = await api.post(cases, { ID: 'add', Docs: [inline('all bytes.bin', bytes)] }).expect(201);
    const [file] = filesOf(answer, 'Docs');
    expect(filesOf(answer, 'Docs')).toEqual([
      {
        blobId: expect.stringMatching(/^[\w-]{27}$/),
        contentType: 'application/x-test',
        filename: 'all bytes.bin',
      },
    ]);
    expect((await download(api, file?.blobId ?? '')).body).toEqual(bytes);
    expect(await docsOf('add')).toEqual([file]);
    const list = await api.get(`${cases}?ID=add`).expect(200);
    expect(list.body).toEqual([answer.body]);
  });

  it('an array replaces the attachments: an element is kept by its blobId, in the order of the array', async () => {
    const [a, b, c] = await newCase('keep', 'a', 'b', 'c');
    const reordered = await api
      .put(cases, { ID: 'keep', Docs: [{ blobId: c?.blobId }, { blobId: a?.blobId }, { blobId: b?.blobId }] })
      .expect(200);
    expect(filesOf(reordered, 'Docs')).toEqual([c, a, b]);
    expect(await docsOf('keep')).toEqual([c, a, b]);
    expect(await Promise.all([a, b, c].map((file) => bytesOf(file as FileJson)))).toEqual(['a', 'b', 'c']);
  });

  it('what a kept element says of its name and type changes nothing', async () => {
    const [a] = await newCase('renamed', 'a');
    const sent = { blobId: a?.blobId, filename: 'other', contentType: 'text/html', size: 7 };
    const answer = await api.put(cases, { ID: 'renamed', Docs: [sent] }).expect(200);
    expect([filesOf(answer, 'Docs'), versionOf(answer)]).toEqual([[a], 1]);
  });

  it('kept and new elements stand in one array, in its order', async () => {
    const [a, b] = await newCase('mixed', 'a', 'b');
    const answer = await api
      .put(cases, { ID: 'mixed', Docs: [{ blobId: b?.blobId }, inline('n'), { blobId: a?.blobId }] })
      .expect(200);
    const [first, second, third] = filesOf(answer, 'Docs');
    expect([first, second?.filename, third]).toEqual([b, 'n', a]);
    expect(await bytesOf(second as FileJson)).toBe('n');
  });

  it('an element that is omitted is removed: its download is 404 at once, and the sweep takes its bytes', async () => {
    const [a, b] = await newCase('omit', 'a', 'b');
    const answer = await api.put(cases, { ID: 'omit', Docs: [{ blobId: b?.blobId }] }).expect(200);
    expect(filesOf(answer, 'Docs')).toEqual([b]);
    const gone = await api.get(`/api/v1/files/${a?.blobId}`).expect(404);
    expect(problemOf(gone)).toEqual(missing);
    await expectNoOrphans();
    expect(await storedFiles(service.config.blobStore)).not.toContain(a?.blobId);
    expect(await bytesOf(b as FileJson)).toBe('b');
  });

  it.each([
    ['[]', []],
    ['null', null],
  ])('%s removes all', async (name, value) => {
    await newCase(`clear ${name}`, 'a', 'b');
    const answer = await api.put(cases, { ID: `clear ${name}`, Docs: value }).expect(200);
    expect([filesOf(answer, 'Docs'), versionOf(answer)]).toEqual([[], 2]);
    const again = await api.put(cases, { ID: `clear ${name}`, Docs: value }).expect(200);
    expect(versionOf(again)).toBe(2);
    await expectNoOrphans();
  });

  it('a payload that does not name the field leaves it alone', async () => {
    const files = await newCase('alone', 'a', 'b');
    const answer = await api.put(cases, { ID: 'alone', Title: 'x', Photos: [inline('p')] }).expect(200);
    expect(filesOf(answer, 'Docs')).toEqual(files);
    expect(namesOf(filesOf(answer, 'Photos'))).toEqual(['p']);
  });

  it('null properties are as good as absent, and unknown properties are ignored', async () => {
    const [a] = await newCase('nulls', 'a');
    const kept = {
      blobId: a?.blobId,
      base64contents: null,
      remoteUrl: null,
      filename: null,
      more: { x: [1] },
    };
    const added = { ...inline('b'), blobId: null, remoteUrl: null, id: 7, __proto__x: 'y' };
    const answer = await api.put(cases, { ID: 'nulls', Docs: [kept, added] }).expect(200);
    expect(namesOf(filesOf(answer, 'Docs'))).toEqual(['a', 'b']);
    const body = `{"ID":"nulls","Docs":[{"__proto__":{"blobId":"x"},"constructor":1,"blobId":"${a?.blobId}"}]}`;
    expect(filesOf(await api.put(cases, body).expect(200), 'Docs')).toEqual([a]);
    expect(({} as Record<string, unknown>)['blobId']).toBeUndefined();
  });

  it('the same new file twice is two attachments', async () => {
    const answer = await api.post(cases, { ID: 'twice', Docs: [inline('a'), inline('a')] }).expect(201);
    const [first, second] = filesOf(answer, 'Docs');
    expect([first?.filename, second?.filename]).toEqual(['a', 'a']);
    expect(first?.blobId).not.toBe(second?.blobId);
  });

  it('contentType may have parameters, and is kept as sent', async () => {
    const contentType = 'Text/Plain; charset="iso-8859-1"';
    const answer = await api.post(cases, { ID: 'parameters', Docs: [{ ...inline('a'), contentType }] });
    expect(filesOf(answer, 'Docs')[0]?.contentType).toBe(contentType);
  });

  it('POST creates a task with its files in one version, and updates one likewise', async () => {
    const created = await api
      .post(cases, { ID: 'post', Title: 't', Docs: [inline('a')], Photos: [inline('p'), inline('q')] })
      .expect(201);
    expect([versionOf(created), namesOf(filesOf(created, 'Photos'))]).toEqual([1, ['p', 'q']]);
    const updated = await api
      .post(cases, { ID: 'post', Title: 'u', Docs: [inline('b')], Photos: [], Stage: 'Done' })
      .expect(200);
    expect(versionOf(updated)).toBe(2);
    expect([namesOf(filesOf(updated, 'Docs')), filesOf(updated, 'Photos')]).toEqual([['b'], []]);
    expect((await api.get(`${cases}/post`)).body).toEqual(updated.body);
    await expectNoOrphans();
  });

  it('POST creates tasks with files where the Unique ID is counted or absent', async () => {
    const first = await api.post(numbered, { Docs: [inline('a')] }).expect(201);
    const second = await api.post(numbered, { Docs: [inline('b')] }).expect(201);
    const explicit = await api.post(numbered, { No: 77, Docs: [inline('c')] }).expect(201);
    const bodies = [first, second, explicit].map(({ body }) => body as { No: string; Docs: FileJson[] });
    expect(bodies.map(({ No, Docs }) => [No, namesOf(Docs)])).toEqual([
      ['1', ['a']],
      ['2', ['b']],
      ['77', ['c']],
    ]);
    const nameless = await api.post('/api/v1/workflows/nameless/tasks', { Docs: [inline('d')] }).expect(201);
    expect(await bytesOf(filesOf(nameless, 'Docs')[0] as FileJson)).toBe('d');
  });

  it('PUT of a task that is not there is 404, and nothing is stored', async () => {
    const before = await stateOf(service);
    for (const Docs of [[inline('a')], [{ blobId: randomText(20) }], []]) {
      const answer = await api.put(cases, { ID: 'nobody', Docs }).expect(404);
      expect(problemOf(answer)).toEqual(missing);
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('an empty base64contents is an empty file', async () => {
    const answer = await api.post(cases, { ID: 'empty', Docs: [inline('nothing', '')] }).expect(201);
    const [file] = filesOf(answer, 'Docs');
    const { headers, body, status } = await download(api, file?.blobId ?? '');
    expect([status, headers['content-length'], body.length]).toEqual([200, '0', 0]);
  });

  it('a file of the largest size is stored, one byte more is 413 and stores nothing', async () => {
    const largest = Buffer.alloc(maxFileBytes, 'x');
    const answer = await api.post(cases, { ID: 'largest', Docs: [inline('x', largest)] }).expect(201);
    expect((await download(api, filesOf(answer, 'Docs')[0]?.blobId ?? '')).body.equals(largest)).toBe(true);
    const before = await stateOf(service);
    const more = [inline('small'), inline('x', Buffer.alloc(maxFileBytes + 1, 'x'))];
    for (const refused of [
      await api.post(cases, { ID: 'larger', Docs: more }),
      await api.put(cases, { ID: 'largest', Docs: more }),
    ])
      expect([refused.status, problemOf(refused)]).toEqual([
        413,
        tooLarge('A file is larger than 200000 bytes.'),
      ]);
    expect(await stateOf(service)).toEqual(before);
  });

  it('2. order of refusals: 413 comes before 422 and before the 404 of PUT', async () => {
    const Docs = [inline('x', Buffer.alloc(maxFileBytes + 1, 'x'))];
    const answers = [
      await api.post(cases, { ID: 'order', Docs, Nope: 1 }),
      await api.put(cases, { ID: 'order', Docs }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([413, 413]);
  });

  it('file fields of linked tasks are in the read shape', async () => {
    const part = await api.post(parts, { 'Part ID': 'p1', Plans: [inline('plan')] }).expect(201);
    const answer = await api.post(cases, { ID: 'linked', Parts: [{ 'Part ID': 'p1' }] }).expect(201);
    const { Case: _, ...shown } = part.body as Record<string, unknown>;
    expect((answer.body as { Parts: unknown }).Parts).toEqual([shown]);
    const [plan] = filesOf(part, 'Plans');
    expect(plan).toEqual({ blobId: plan?.blobId, contentType: 'application/x-test', filename: 'plan' });
  });

  it('files and links of one payload are one version, all or nothing', async () => {
    await api.post(parts, { 'Part ID': 'p2' }).expect(201);
    await newCase('both', 'a');
    const answer = await api
      .put(cases, { ID: 'both', Title: 't', Docs: [inline('b')], Parts: [{ 'Part ID': 'p2' }] })
      .expect(200);
    expect([versionOf(answer), namesOf(filesOf(answer, 'Docs'))]).toEqual([2, ['b']]);
    await expectRefused(
      { ID: 'both', Docs: [inline('c')], Parts: [{ 'Part ID': 'p404' }] },
      { Parts: ['does not exist: p404'] },
    );
  });

  it('3. a file field can be neither filtered nor sorted', async () => {
    for (const query of ['Docs=x', 'Docs=', 'Docs[ne]=x', 'Docs[contains]=a', 'Photos[gt]=1']) {
      const name = query.slice(0, query.indexOf('='));
      const answer = await api.get(`${cases}?${query}`);
      expect([answer.status, answer.body]).toEqual([422, { errors: { [name]: ['cannot be filtered'] } }]);
    }
    for (const sort of ['Docs', '-Docs', 'Title,Docs'])
      expect((await api.get(`${cases}?_sort=${sort}`).expect(422)).body).toEqual({
        errors: { _sort: [expect.any(String)] },
      });
  });

  it('a field may be called as the prototype of objects calls its keys', async () => {
    const sent = `{"ID":"odd","constructor":[${JSON.stringify(inline('a'))}]}`;
    const { text: body } = await api.post(cases, sent).expect(201);
    const { blobId } = /"blobId":"(?<blobId>[\w-]+)"/.exec(body)?.groups ?? {};
    expect((await download(api, blobId ?? '')).body.toString()).toBe('a');
    expect((await api.put(cases, body).expect(200)).text).toBe(body);
  });
});

describe('2.2 file attachments that are refused', () => {
  const anyFile = inline('a');
  const { contentType: _type, ...untyped } = anyFile;
  const { filename: _name, ...unnamed } = anyFile;
  const sources = 'needs one of blobId, base64contents and remoteUrl for each file';
  const names = 'needs filename and contentType with base64contents';
  const notBase64 = 'has base64contents that are not Base64';
  const notMedia = 'has a contentType that is not a media type';
  const notHttp = 'has a remoteUrl that is not an http(s) URL';
  const notHere = 'names a file that is not on this task';
  const notArray = 'is not an array of files';
  const remoteUrl = 'http://192.0.2.1/x';

  beforeAll(async () => {
    await api.post(cases, { ID: 'refused' }).expect(201);
  });

  it.each([
    ['both sources', [{ ...anyFile, remoteUrl }], sources],
    ['a blobId and bytes', [{ ...anyFile, blobId: 'x' }], sources],
    ['a blobId and a URL', [{ blobId: 'x', remoteUrl }], sources],
    ['no source', [{ filename: 'a', contentType: 'text/plain' }], sources],
    ['an empty object', [{}], sources],
    ['null for every source', [{ ...untyped, base64contents: null }], sources],
    ['Base64 without filename', [unnamed], names],
    ['Base64 without contentType', [untyped], names],
    ['Base64 with null for both', [{ ...anyFile, filename: null, contentType: null }], names],
    ['an empty filename', [{ ...anyFile, filename: '' }], 'has a filename that is empty'],
    ['a filename that is no text', [{ ...anyFile, filename: 7 }], 'has a filename that is not a text'],
    ['a path', [{ ...anyFile, filename: '../a' }], 'has a filename that is a path, not a name'],
    [
      'a path with a remoteUrl',
      [{ remoteUrl, filename: 'a/b' }],
      'has a filename that is a path, not a name',
    ],
    ['an empty contentType', [{ ...anyFile, contentType: '' }], notMedia],
    ['a contentType that is no text', [{ ...anyFile, contentType: ['text/plain'] }], notMedia],
    ['half a contentType', [{ ...anyFile, contentType: 'text' }], notMedia],
    ['two media types', [{ ...anyFile, contentType: 'text/html;image/png' }], notMedia],
    ['CRLF in a contentType', [{ ...anyFile, contentType: 'text/html\r\nX: y' }], notMedia],
    ['a contentType of 300 characters', [{ ...anyFile, contentType: `text/${'x'.repeat(295)}` }], notMedia],
    ['a bad contentType with a remoteUrl', [{ remoteUrl, contentType: 'a b' }], notMedia],
    ['base64contents that are no text', [{ ...anyFile, base64contents: 7 }], notBase64],
    ['base64contents that are a list', [{ ...anyFile, base64contents: ['YQ=='] }], notBase64],
    ['a remoteUrl that is no text', [{ remoteUrl: { href: remoteUrl } }], notHttp],
    ['a remoteUrl that is no URL', [{ remoteUrl: 'here' }], notHttp],
    ['an empty remoteUrl', [{ remoteUrl: '' }], notHttp],
    ['a file: URL', [{ remoteUrl: 'file:///etc/passwd' }], notHttp],
    ['a data: URL', [{ remoteUrl: 'data:text/plain,a' }], notHttp],
    ['a blobId that is no text', [{ blobId: 7 }], 'has a blobId that is not a text'],
    ['an unknown blobId', [{ blobId: 'unknown' }], notHere],
    ['an empty blobId', [{ blobId: '' }], notHere],
    ['a blobId of the prototype', [{ blobId: '__proto__' }], notHere],
    ['a blobId that is a path', [{ blobId: '../../etc/passwd' }], notHere],
    ['the same blobId twice', [{ blobId: 'x' }, anyFile, { blobId: 'x' }], 'holds a file twice'],
    ['more than the limit', [anyFile, anyFile, anyFile, anyFile], 'holds more than 3 files'],
    ['an object', { 0: anyFile }, notArray],
    ['one file without an array', anyFile, notArray],
    ['a text', 'a.txt', notArray],
    ['an empty text', '', notArray],
    ['a number', 0, notArray],
    ['a boolean', false, notArray],
    ['null for a file', [anyFile, null], 'holds something that is no file'],
    ['a text for a file', ['a.txt'], 'holds something that is no file'],
    ['an array for a file', [[anyFile]], 'holds something that is no file'],
  ])('%s', async (_what, Docs, message) => {
    await expectRefused({ ID: 'refused', Docs }, { Docs: [message] });
  });

  it.each(
    [
      '!!!!', 'YQ==x', 'YQ==YQ==', 'Y', 'YQ=', 'YQ===', '=', '====', 'Y===', 'YWI==', 'YW=I', 'YR==', 'YWJ=', '-_-_',
      'YQ__', 'YQ\n==', 'YWJj\r\nYWJj', ' YQ==', 'YQ== ', 'Y Q = =', 'YWJj\u0000', 'data:;base64,YQ==', 'YWJ\u00e9', 'ＹＱ==', '%59Q==',
      `${'A'.repeat(2 ** 17 - 1)}=AAAA`, `${'A'.repeat(2 ** 17)}A`, `${'A'.repeat(2 ** 17 - 2)}==${'A'.repeat(4)}`,
    ].map((base64): [string, string] => [base64.slice(0, 20), base64]), // prettier-ignore
  )('Base64 that is not of RFC 4648, though Buffer reads it: %j', async (_shown, base64contents) => {
    await expectRefused({ ID: 'refused', Docs: [{ ...anyFile, base64contents }] }, { Docs: [notBase64] });
  });

  it('Base64 needs no padding', async () => {
    const Docs = ['YQ', 'YWI', 'YWJj'].map((base64contents) => ({ ...anyFile, base64contents }));
    const answer = await api.post(cases, { ID: 'unpadded', Docs }).expect(201);
    expect(await Promise.all(filesOf(answer, 'Docs').map(bytesOf))).toEqual(['a', 'ab', 'abc']);
  });

  it('a blobId of another field, task, workflow or workspace, or of a file that was removed', async () => {
    const body = { ID: 'from', Docs: [inline('a'), inline('b')], Photos: [inline('p')] };
    const from = await api.post(cases, body).expect(201);
    const [docs, photos] = [filesOf(from, 'Docs'), filesOf(from, 'Photos')];
    const part = filesOf(await api.post(parts, { 'Part ID': 'from', Plans: [inline('x')] }), 'Plans');
    const foreign = filesOf(await other.post(cases, { ID: 'refused', Docs: [inline('y')] }), 'Docs');
    await api.put(cases, { ID: 'from', Docs: [docs[0]] }).expect(200);
    for (const file of [docs[0], docs[1], photos[0], part[0], foreign[0]]) {
      await expectRefused({ ID: 'refused', Docs: [file] }, { Docs: [notHere] });
      await expectRefused(
        { ID: 'refused', Docs: [inline('n'), { blobId: file?.blobId }] },
        { Docs: [notHere] },
      );
    }
    await expectRefused(
      { ID: 'from', Docs: [photos[0]], Photos: [docs[0]] },
      { Docs: [notHere], Photos: [notHere] },
    );
    const fresh = await api.post(cases, { ID: 'fresh', Docs: [docs[0]] });
    expect([fresh.status, fresh.body]).toEqual([422, { errors: { Docs: [notHere] } }]);
  });

  it('100 blobIds that nobody has', async () => {
    const before = await stateOf(service);
    const ids = Array.from({ length: 100 }, () => randomText(20));
    const answers = await Promise.all(
      ids.map((blobId) => api.put(cases, { ID: 'refused', Docs: [{ blobId }] })),
    );
    expect(
      answers.filter(
        ({ status, text: body }) => status !== 422 || body !== `{"errors":{"Docs":["${notHere}"]}}`,
      ),
    ).toEqual([]);
    expect(await stateOf(service)).toEqual(before);
  });

  it('all faults of a payload stand in one answer, and nothing of it is stored', async () => {
    const payload = { ID: 'refused', Nope: 1, Stage: 'Nowhere', Docs: [inline('new'), { blobId: 'x' }], Photos: [{}], Title: ['t'] }; // prettier-ignore
    const { body: alone } = await api.put(cases, { ID: 'refused', Title: ['t'] }).expect(422);
    await expectRefused(payload, {
      Nope: ['is not a field of this workflow'],
      Stage: ['is not a stage of this workflow'],
      Docs: [notHere],
      Photos: [sources],
      ...(alone as { errors: object }).errors,
    });
  });

  it('a good file beside a fault is not stored', async () => {
    await expectRefused({ ID: 'refused', Docs: [inline('good')], Photos: [{}] }, { Photos: [sources] });
    await expectRefused({ ID: 'refused', Docs: [inline('good')], Stage: 'Nowhere' }, { Stage: ['is not a stage of this workflow'] }); // prettier-ignore
  });
});

describe('3. tasks with files: required, editable', () => {
  const required = { Proof: ['is required'] };
  const frozen = { Seal: ['cannot be changed after creation'] };

  it.each([{}, { Proof: [] }, { Proof: null }])(
    'a create without a required file is refused: %j',
    async (given) => {
      const before = await stateOf(service);
      const answer = await api.post(strict, { ID: 'without', ...given });
      expect([answer.status, answer.body]).toEqual([422, { errors: required }]);
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it('an update that blanks a required file is refused, one that replaces it is not', async () => {
    await api.post(strict, { ID: 'r', Proof: [inline('a')] }).expect(201);
    await expectRefused({ ID: 'r', Proof: [] }, required, strict);
    await expectRefused({ ID: 'r', Proof: null, Title: 'x' }, required, strict);
    const answer = await api.put(strict, { ID: 'r', Proof: [inline('b')] }).expect(200);
    expect(namesOf(filesOf(answer, 'Proof'))).toEqual(['b']);
    const one = filesOf(answer, 'Proof')[0]?.blobId ?? '';
    const last = await api.delete(`${strict}/r/attachments/Proof/${one}`);
    expect([last.status, last.body]).toEqual([422, { errors: required }]);
    const { body } = await sendForm(api, `${strict}/r/attachments/Proof`, { filename: 'c' });
    await api.delete(`${strict}/r/attachments/Proof/${one}`).expect(204);
    expect(filesOf(await api.get(`${strict}/r`), 'Proof')).toEqual([body]);
  });

  it('editable: false is set at creation; later only the same value is accepted', async () => {
    const sent = { ID: 'f', Proof: [inline('a')], Seal: [inline('s'), inline('t')] };
    const created = await api.post(strict, sent).expect(201);
    const [s, t] = filesOf(created, 'Seal');
    for (const Seal of [[], null, [s], [t, s], [s, t, inline('u')], [inline('s'), inline('t')]])
      await expectRefused({ ID: 'f', Seal }, frozen, strict);
    for (const Seal of [
      [s, t],
      [{ blobId: s?.blobId }, { blobId: t?.blobId }],
    ])
      expect(versionOf(await api.put(strict, { ID: 'f', Seal }).expect(200))).toBe(1);
    const before = await stateOf(service);
    const path = `${strict}/f/attachments/Seal`;
    for (const answer of [
      await sendForm(api, path, { filename: 'u' }),
      await api.delete(`${path}/${s?.blobId}`),
    ])
      expect([answer.status, answer.body]).toEqual([422, { errors: frozen }]);
    expect(await stateOf(service)).toEqual(before);
    await api.post(strict, { ID: 'f2', Proof: [inline('a')] }).expect(201);
    await expectRefused({ ID: 'f2', Seal: [inline('late')] }, frozen, strict);
  });
});

describe('3. tasks with files: round-trip law', () => {
  it('the body of a GET, sent back by PUT or POST, is accepted and changes nothing', async () => {
    await api.post(parts, { 'Part ID': 'trip', Plans: [inline('x')] }).expect(201);
    const body = {
      ID: 'trip',
      Title: 't',
      Docs: [inline('a'), inline('b')],
      Photos: [inline('é/'.slice(0, 1))],
    };
    await api.post(cases, { ...body, Parts: [{ 'Part ID': 'trip' }] }).expect(201);
    await api.post(strict, { ID: 'trip', Proof: [inline('a')], Seal: [inline('b')] }).expect(201);
    for (const [path, id] of [
      [cases, 'trip'],
      [strict, 'trip'],
      [parts, 'trip'],
    ] as const) {
      const before = await stateOf(service);
      const read = await api.get(`${path}/${id}`).expect(200);
      for (const answer of [await api.put(path, read.text), await api.post(path, read.text)])
        expect([answer.status, answer.text, answer.headers['etag']]).toEqual([
          200,
          read.text,
          read.headers['etag'],
        ]);
      expect(await stateOf(service)).toEqual(before);
    }
  });

  it('so it is under a smaller limit of today, which holds for any other array', async () => {
    const yaml = (limit: string): string => `
workspace: { id: shrinking, name: S }
workflows:
  - { id: cases, name: C, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId, required: true }, { name: Docs, type: file${limit} }] }
`;
    await service.apply(yaml(''));
    const shrinking = service.client(await service.key('shrinking'));
    await shrinking.post(cases, { ID: '1', Docs: ['a', 'b', 'c'].map((name) => inline(name)) }).expect(201);
    await service.apply(yaml(', limit: 1'));
    const read = await shrinking.get(`${cases}/1`).expect(200);
    for (const answer of [await shrinking.put(cases, read.text), await shrinking.post(cases, read.text)])
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([
        200,
        read.text,
        read.headers['etag'],
      ]);
    const [a, b, c] = filesOf(read, 'Docs');
    for (const Docs of [
      [c, b, a],
      [a, b],
      [a, b, c, inline('d')],
      [inline('x'), inline('y'), inline('z')],
    ]) {
      const answer = await shrinking.put(cases, { ID: '1', Docs });
      expect([answer.status, answer.body]).toEqual([422, { errors: { Docs: ['holds more than 1 files'] } }]);
    }
    const form = await sendForm(shrinking, `${cases}/1/attachments/Docs`, { filename: 'd' });
    expect([form.status, form.body]).toEqual([422, { errors: { Docs: ['holds more than 1 files'] } }]);
    await shrinking.put(cases, { ID: '1', Docs: [b] }).expect(200);
  });
});

describe('3. tasks with files: versions, ETag, Idempotency-Key', () => {
  it('the version counts changes of attachments, each request once; what changes nothing counts none', async () => {
    const created = await api.post(cases, {
      ID: 'v',
      Title: 'a',
      Docs: [inline('a')],
      Photos: [inline('p')],
    });
    const [a] = filesOf(created, 'Docs');
    const versions = [versionOf(created)];
    for (const change of [
      { Title: 'b', Docs: [a, inline('b')], Photos: [] },
      { Docs: [inline('c')] },
      { Photos: [] },
      { Title: 'b' },
      { Title: 'c', Docs: null },
      { Docs: [] },
    ])
      versions.push(versionOf(await api.put(cases, { ID: 'v', ...change }).expect(200)));
    expect(versions).toEqual([1, 2, 3, 3, 3, 4, 4]);
    const { body } = await sendForm(api, `${cases}/v/attachments/Docs`, { filename: 'd' });
    expect(versionOf(await api.get(`${cases}/v`))).toBe(5);
    await api.delete(`${cases}/v/attachments/Docs/${(body as FileJson).blobId}`).expect(204);
    expect(versionOf(await api.get(`${cases}/v`))).toBe(6);
  });

  it('If-Match: 412 when stale, and no file is stored; otherwise the files are', async () => {
    await newCase('m', 'a');
    const tag = String((await api.get(`${cases}/m`)).headers['etag']);
    await api.put(cases, { ID: 'm', Docs: [inline('b')] }).set('If-Match', tag).expect(200); // prettier-ignore
    const before = await stateOf(service);
    const [{ blobId } = { blobId: '' }] = await docsOf('m');
    for (const answer of [
      await api.put(cases, { ID: 'm', Docs: [inline('c')] }).set('If-Match', tag),
      await api.post(cases, { ID: 'm', Docs: [inline('c')] }).set('If-Match', tag),
      await api.put(cases, { ID: 'm', Docs: [] }).set('If-Match', tag),
      await api.post(cases, { ID: 'm', Docs: [inline('c')] }).set('If-None-Match', '*'),
      await api.post(cases, { ID: 'm-none', Docs: [inline('c')] }).set('If-Match', '*'),
      await sendForm(api, `${cases}/m/attachments/Docs`, { filename: 'c' }, { 'If-Match': tag }),
      await api.delete(`${cases}/m/attachments/Docs/${blobId}`).set('If-Match', tag),
    ])
      expect([answer.status, problemOf(answer)]).toEqual([412, stale]);
    expect(await stateOf(service)).toEqual(before);
    const today = String((await api.get(`${cases}/m`)).headers['etag']);
    const form = await sendForm(api, `${cases}/m/attachments/Docs`, { filename: 'c' }, { 'If-Match': today });
    expect(form.status).toBe(201);
    await api.delete(`${cases}/m/attachments/Docs/${blobId}`).set('If-Match', '*').expect(204);
    expect(await docsOf('m')).toEqual([form.body]);
    await api.post(cases, { ID: 'm-new', Docs: [inline('c')] }).set('If-None-Match', '*').expect(201); // prettier-ignore
  });

  it('If-None-Match on GET: 304 until an attachment changes', async () => {
    await newCase('n', 'a');
    const tag = String((await api.get(`${cases}/n`)).headers['etag']);
    await api.get(`${cases}/n`).set('If-None-Match', tag).expect(304);
    await sendForm(api, `${cases}/n/attachments/Docs`, { filename: 'b' });
    await api.get(`${cases}/n`).set('If-None-Match', tag).expect(200);
  });

  it('the same Idempotency-Key and body give the same answer: the same blobIds, one task, no orphan', async () => {
    await expectNoOrphans();
    const payload = { Docs: [inline('a'), inline('b')] };
    const post = (body: object): Promise<Response> =>
      api.post(numbered, body).set('Idempotency-Key', 'files').then((answer) => answer); // prettier-ignore
    const first = await post(payload);
    expect(first.status).toBe(201);
    const before = await stateOf(service);
    const again = await post(payload);
    expect([again.status, again.text, again.headers['etag']]).toEqual([
      201,
      first.text,
      first.headers['etag'],
    ]);
    expect((await post({ Docs: [inline('a'), inline('c')] })).status).toBe(409);
    expect(await stateOf(service)).toEqual(before);
  });

  it('so do 10 at once', async () => {
    const before = ((await api.get(numbered)).body as unknown[]).length;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        api.post(numbered, { Docs: [inline('a'), inline('b')] }).set('Idempotency-Key', 'at once'),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    expect(new Set(answers.map(({ text: body }) => body)).size).toBe(1);
    expect(((await api.get(numbered)).body as unknown[]).length).toBe(before + 1);
    await expectNoOrphans();
    expect(await bytesOf(filesOf(answers[0] as Response, 'Docs')[1] as FileJson)).toBe('b');
  });

  it('a key whose request was refused is free again', async () => {
    const refused = await api.post(numbered, { Docs: [{}] }).set('Idempotency-Key', 'free');
    expect(refused.status).toBe(422);
    await api.post(numbered, { Docs: [inline('a')] }).set('Idempotency-Key', 'free').expect(201); // prettier-ignore
  });
});

describe('6. attachments: what nothing names', () => {
  it('deleting a task makes its downloads 404 at once, and the sweep removes the bytes', async () => {
    const files = await newCase('doomed', 'a', 'b');
    await api.post(parts, { 'Part ID': 'doomed', Case: { ID: 'doomed' }, Plans: [inline('x')] }).expect(201);
    const plans = filesOf(await api.get(`${parts}/doomed`), 'Plans');
    await api.delete(`${cases}/doomed`).expect(204);
    for (const { blobId } of files) expect((await download(api, blobId)).status).toBe(404);
    expect(await storedFiles(service.config.blobStore)).toEqual(
      expect.arrayContaining(files.map(({ blobId }) => blobId)),
    );
    await expectNoOrphans();
    expect(await bytesOf(plans[0] as FileJson)).toBe('x');
    await api.delete(`${parts}/doomed`).expect(204);
    await expectNoOrphans();
    expect((await download(api, plans[0]?.blobId ?? '')).status).toBe(404);
  });

  it('a sweep before the grace time removes nothing, and none removes what a task names', async () => {
    const files = await newCase('swept', 'a', 'b', 'c');
    await api.put(cases, { ID: 'swept', Docs: files.slice(1) }).expect(200);
    expect(await sweepBlobs(service.dataSource.manager, service.blobs, 60_000)).toBe(0);
    expect(await storedFiles(service.config.blobStore)).toContain(files[0]?.blobId);
    await Promise.all([sweep(), sweep(), sweep()]);
    await expectNoOrphans();
    expect(await Promise.all(files.slice(1).map(bytesOf))).toEqual(['b', 'c']);
  });
});

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

  it('answers the raw bytes with the headers that are decided', async () => {
    const answer = await get();
    expect([answer.status, answer.body.toString(), headersOf(answer)]).toEqual([200, content, whole()]);
    expect(tag).toBe('"84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"');
  });

  it.each([
    ['bytes=0-0', '0', '0-0'],
    ['bytes=0-3', '0123', '0-3'],
    ['bytes=3-6', '3456', '3-6'],
    ['bytes=9-9', '9', '9-9'],
    ['bytes=4-', '456789', '4-9'],
    ['bytes=0-', content, '0-9'],
    ['bytes=5-1000', '56789', '5-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-100', content, '0-9'],
  ])('Range: %s is 206', async (range, bytes, part) => {
    const answer = await get({ Range: range });
    const headers = { ...whole(), 'content-length': `${bytes.length}`, 'content-range': `bytes ${part}/10` };
    expect([answer.status, answer.body.toString(), headersOf(answer)]).toEqual([206, bytes, headers]);
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'Range: %s is 416, a problem document with Content-Range',
    async (range) => {
      const answer = await api.get(`/api/v1/files/${file.blobId}`).set('Range', range).expect(416);
      expect(answer.headers).toMatchObject({
        'content-range': 'bytes */10',
        'content-type': 'application/problem+json; charset=utf-8',
      });
      expect(problemOf(answer)).toEqual({
        type: 'about:blank',
        title: 'Range Not Satisfiable',
        status: 416,
        detail: 'The file ends before this range.',
      });
    },
  );

  it.each([
    'bytes=0-1,3-4',
    'bytes=0-1, -1',
    'bytes=5-3',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'lines=1-2',
    'x',
  ])('Range: %s, which is several ranges or none, is the whole file', async (range) => {
    const answer = await get({ Range: range });
    expect([answer.status, answer.body.toString(), headersOf(answer)]).toEqual([200, content, whole()]);
  });

  it('If-Range with its entity tag is the part, with another or a date the whole', async () => {
    const statusFor = async (condition: string): Promise<unknown[]> => {
      const { status, body } = await get({ Range: 'bytes=0-1', 'If-Range': condition });
      return [status, body.toString()];
    };
    expect(await statusFor(tag)).toEqual([206, '01']);
    for (const other of ['"x"', `W/${tag}`, 'Sat, 21 Nov 2026 10:00:00 GMT', '*', tag.slice(1, -1)])
      expect(await statusFor(other)).toEqual([200, content]);
  });

  it('HEAD has the headers of GET and no body, whatever range it asks for', async () => {
    for (const headers of [{}, { Range: 'bytes=0-1' }, { Range: 'bytes=50-' }]) {
      const answer = await headOf(`/api/v1/files/${file.blobId}`, headers);
      expect([answer.status, answer.body]).toEqual([200, '']);
      expect(answer.headers).toMatchObject(whole());
    }
    expect(await headOf('/api/v1/files/unknown')).toMatchObject({ status: 404, body: '' });
  });

  it('If-None-Match: 304 without a body, also before a range', async () => {
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await get({ 'If-None-Match': known, Range: 'bytes=50-' });
      expect([answer.status, answer.body.length, headersOf(answer)]).toEqual([304, 0, shown()]);
    }
    expect((await get({ 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it("another workspace's key gets the very bytes that an unknown file gets", async () => {
    const fetch = async (blobId: string): Promise<unknown[]> => {
      const answer = await other.get(`/api/v1/files/${blobId}`).set('X-Request-Id', 'same').expect(404);
      return [answer.text, headersOf(answer)];
    };
    const foreign = await fetch(file.blobId);
    for (const id of [
      randomText(20),
      'x',
      '__proto__',
      '..%2F..%2Fetc%2Fpasswd',
      '%00',
      'é',
      'x'.repeat(2000),
    ])
      expect(await fetch(encodeURI(decodeURI(id)))).toEqual(foreign);
    expect(foreign[0]).toBe(JSON.stringify({ ...missing, request_id: 'same' }));
  });

  it('a read scope may download; without a key it is 401', async () => {
    const reader = service.client(await service.key('acme', 'read'));
    expect((await download(reader, file.blobId)).body.toString()).toBe(content);
    for (const nobody of [service.client('wts_x'), service.client('')])
      expect((await nobody.get(`/api/v1/files/${file.blobId}`)).status).toBe(401);
  });

  it('active content of 14 types and 4 extensions is an attachment of a harmless type', async () => {
    const types = [
      'text/html', 'TEXT/HTML; charset=utf-7', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/xml',
      'text/javascript', 'application/javascript', 'multipart/x-mixed-replace; boundary=x', 'text/css', 'message/rfc822',
      'text/cache-manifest', 'application/x-shockwave-flash', 'image/png2; a="text/html"',
    ]; // prettier-ignore
    const Photos = types.flatMap((contentType) =>
      ['html', 'svg', 'png', 'txt'].map((extension) => ({
        ...inline(`a.${extension}`, '<script>alert(1)</script>'),
        contentType,
      })),
    );
    const answer = await api.post(cases, { ID: 'active content', Photos }).expect(201);
    const downloads = await Promise.all(filesOf(answer, 'Photos').map(({ blobId }) => download(api, blobId)));
    expect(downloads).toHaveLength(56);
    for (const { headers } of downloads)
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': expect.stringMatching(/^attachment; filename="?a\.(html|svg|png|txt)"?$/),
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
  ])('a file of type %s is told to be %s', async (contentType, told) => {
    const Docs = [{ ...inline('a'), contentType }];
    const answer = await api.post(cases, { ID: `type ${told}`, Docs });
    expect((await download(api, filesOf(answer, 'Docs')[0]?.blobId ?? '')).headers['content-type']).toBe(
      told,
    );
  });
});

interface Head {
  readonly status: number | undefined;
  readonly headers: object;
  readonly body: string;
}

/** A HEAD by hand. */
async function headOf(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Head> {
  const sent = request(`${service.url}${path}`, {
    method: 'HEAD',
    headers: { ...headers, Authorization: `Bearer ${key}` },
  });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

describe('F9 filenames', () => {
  const accepted = [
    'a', 'report.pdf', 'a b.txt', ' ', ' lead', 'trail ', '...', '....', '.hidden', '-rf', '--help', 'CON', 'NUL.txt', 'a:b', 'C:file',
    "it's", 'a"b', '""', '"', "'", 'a"; filename="b.exe', "UTF-8''x", 'a;b', 'a,b=c', 'a%20b', '100%', '%', '%zz', '%00', '%0d%0aX: y', '%2e%2e%2f',
    '*', '?', '<x>', '|', '~', '$HOME', '$(id)', '`id`', '{{x}}', '${x}', "Robert'); DROP TABLE blobs;--", '__proto__', 'constructor', 'prototype',
    'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'then', 'toJSON', 'null', 'undefined', 'NaN', '0', '-1', 'true', '[object Object]',
    'r\u00e9sum\u00e9.pdf', 're\u0301sume\u0301.pdf', '\u0152uvre', '\u65e5\u672c\u8a9e.txt', '\u0440\u0435\u0437\u044e\u043c\u0435', '\u05d7\u05d5\u05d6\u05d4.pdf',
    '\u202etxt.exe', '\u2066a\u2069', '\u200fa', '\ufeffbom', '\u2028x\u2029', '\u00a0', '\u200b', '\u{1f600}.png', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\ufffd',
    '\uffff', '\u{10ffff}', 'Z\u0351\u036b\u0343', '\ufdfd', 'a'.repeat(255), '\u00e9'.repeat(127), '\u{1f600}'.repeat(63), '<script>alert(1)</script>'.replace('/', ''), '=cmd()',
  ]; // prettier-ignore
  const refused: [string, string][] = [
    ['', 'is empty'],
    ['.', 'is a path, not a name'],
    ['..', 'is a path, not a name'],
    ...['a/b', '/', '/etc/passwd', '../../etc/passwd', 'a\\b', '\\\\server\\share', 'C:\\x', '..\\..\\x', 'a/..', './a'].map((name): [string, string] => [name, 'is a path, not a name']), // prettier-ignore
    ...['a\0', 'a\r\nSet-Cookie: a=b', 'a\nb', '\t', 'a\x7f', '\x85', '\x9f', '\x1b[31m', '\0', 'a.txt\0.exe'].map((name): [string, string] => [name, 'contains a control character']), // prettier-ignore
    ...['\ud800', 'a\udfff', '\udfff\ud800'].map((name): [string, string] => [name, 'contains a character that cannot be stored']), // prettier-ignore
    ...['a'.repeat(256), '\u00e9'.repeat(128), '\u{1f600}'.repeat(64), 'x'.repeat(5000)].map((name): [string, string] => [name, 'is longer than 255 bytes']), // prettier-ignore
  ];

  it(`${accepted.length} odd ones come back in JSON, and in the header of the download`, async () => {
    const Photos = accepted.map((name) => inline(name, 'x'));
    const answer = await api.post(cases, { ID: 'names', Photos }).expect(201);
    expect(namesOf(filesOf(answer, 'Photos'))).toEqual(accepted);
    expect((await api.put(cases, (await api.get(`${cases}/names`)).text).expect(200)).text).toBe(answer.text);
    const files = filesOf(answer, 'Photos');
    const dispositions = await Promise.all(
      files.map(async ({ blobId }) => String((await download(api, blobId)).headers['content-disposition'])),
    );
    expect(dispositions.filter((header) => !/^attachment; [ -~]+$/.test(header))).toEqual([]);
    expect(dispositions.map((header) => parse(header).parameters['filename'])).toEqual(accepted);
  });

  it('so do those that a form can name', async () => {
    const names = accepted.filter((name) => !/["%]/.test(name) && name.trim() === name);
    for (const filename of names) {
      const answer = await sendForm(api, `${cases}/names/attachments/Photos`, { filename, bytes: 'y' });
      expect([answer.status, answer.body]).toEqual([201, { ...(answer.body as FileJson), filename }]);
      const { headers, body } = await download(api, (answer.body as FileJson).blobId);
      expect([parse(String(headers['content-disposition'])).parameters['filename'], body.toString()]).toEqual([filename, 'y']); // prettier-ignore
    }
  });

  it.each(
    refused.map(([name, message]): [string, string, string] => [
      JSON.stringify(name).slice(0, 30),
      name,
      message,
    ]),
  )('%s is refused, and nothing is stored', async (_shown, name, message) => {
    const before = await stateOf(service);
    const errors = { Docs: [`has a filename that ${message}`] };
    const answer = await api.post(cases, { ID: 'bad name', Docs: [{ ...inline('x'), filename: name }] });
    expect([answer.status, answer.body]).toEqual([422, { errors }]);
    expect(await stateOf(service)).toEqual(before);
  });
});

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
      Promise.all(crowd.map((n) => sendForm(crowded, path, { filename: `f${n}` }))),
      Promise.all(crowd.map((n) => crowded.put(crowds, { ID: 'many', [`F${n}`]: `v${n}` }))),
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
        crowd.map((n) => sendForm(crowded, `${crowds}/${id}/attachments/Few`, { filename: `f${n}` })),
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
    const answers = await Promise.all(
      crowd.map((n) => crowded.post(crowds, { ID: 'new', Many: [inline(`a${n}`), inline(`b${n}`)], [`F${n}`]: 'x' })), // prettier-ignore
    );
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
