import { randomText } from '../../src/common/random-id.js';
import { download, type FileJson, filesOf, inline, stateOf } from '../support/attachments.js';
import {
  api,
  bytesOf,
  cases,
  docsOf,
  expectNoOrphans,
  expectRefused,
  maxFileBytes,
  namesOf,
  newCase,
} from './cases.js';
import { other, parts, service, versionOf } from './cases.js';

describe('2.2 file attachments in a payload', () => {
  it('a new element has filename, contentType and base64contents; it reads {blobId, contentType, filename}', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const answer = await api.post(cases, { ID: 'add', Docs: [inline('all bytes.bin', bytes)] }).expect(201);
    const [file] = filesOf(answer, 'Docs');
    const blobId = expect.stringMatching(/^[\w-]{27}$/) as string;
    expect(file).toEqual({ blobId, contentType: 'application/x-test', filename: 'all bytes.bin' });
    expect((await download(api, file?.blobId ?? '')).body).toEqual(bytes);
    expect(await docsOf('add')).toEqual([file]);
    expect(await api.read(`${cases}?ID=add`)).toEqual([answer.body]);
  });

  it('an array replaces the attachments: an element is kept by its blobId, in the order of the array', async () => {
    const [a, b, c] = await newCase('keep', 'a', 'b', 'c');
    const Docs = [c, a, b].map((file) => ({ blobId: file?.blobId }));
    const reordered = await api.put(cases, { ID: 'keep', Docs }).expect(200);
    expect(filesOf(reordered, 'Docs')).toEqual([c, a, b]);
    expect(await docsOf('keep')).toEqual([c, a, b]);
    expect(await Promise.all([a, b, c].map((file) => bytesOf(file as FileJson)))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['by blank', []],
    ['by null', null],
  ])('no attachments remain %s', async (ID, Docs) => {
    await newCase(ID, 'a', 'b');
    for (const _ of ['cleared', 'unchanged']) {
      const answer = await api.put(cases, { ID, Docs }).expect(200);
      expect([filesOf(answer, 'Docs'), versionOf(answer)]).toEqual([[], 2]);
    }
    await expectNoOrphans();
  });

  it('a file that is named by its blobId is renamed by another filename', async () => {
    const [a, b] = await newCase('renamed', 'a', 'b');
    const Docs = [{ ...a, filename: 'é.txt' }, b];
    const answer = await api.put(cases, { ID: 'renamed', Docs }).expect(200);
    expect(filesOf(answer, 'Docs')).toEqual(Docs);
    expect((await api.get(`${cases}/renamed`)).body).toEqual(answer.body);
    const download = await api.get(`/api/v1/files/${a?.blobId}`).expect(200);
    expect(download.headers['content-disposition']).toContain("filename*=UTF-8''%C3%A9.txt");
    for (const [filename, message] of [
      ['a/b', 'has a filename that is a path, not a name'],
      [7, 'has a filename that is not a text'],
    ]) {
      const sent = { ID: 'renamed', Docs: [{ ...a, filename }, b] };
      await api.put(cases, sent).expect(422, { errors: { Docs: [message] } });
    }
    await expectNoOrphans();
  });

  it('a file keeps its contentType, and another contentType is refused', async () => {
    const [a] = await newCase('typed', 'a');
    const sent = { ID: 'typed', Docs: [{ ...a, contentType: 'image/png', filename: 'b' }] };
    const errors = { Docs: ['changes the contentType of a file that is already on this task'] };
    await api.put(cases, sent).expect(422, { errors });
    expect(filesOf(await api.get(`${cases}/typed`), 'Docs')).toEqual([a]);
  });

  it('null counts as absent, and unknown properties are ignored', async () => {
    const [a] = await newCase('nulls', 'a');
    const nothing = { base64contents: null, remoteUrl: null, filename: null };
    const kept = { blobId: a?.blobId, ...nothing, more: { x: [1] } };
    const contentType = 'Text/Plain; charset="iso-8859-1"';
    const added = { ...inline('b', ''), contentType, blobId: null, remoteUrl: null, id: 7, __proto__x: 'y' };
    const answer = await api.put(cases, { ID: 'nulls', Docs: [kept, added] }).expect(200);
    expect(filesOf(answer, 'Docs')).toMatchObject([{ filename: 'a' }, { filename: 'b', contentType }]);
    expect(await bytesOf(filesOf(answer, 'Docs')[1] as FileJson)).toBe('');
    const body = `{"ID":"nulls","Docs":[{"__proto__":{"blobId":"x"},"constructor":1,"blobId":"${a?.blobId}"}]}`;
    expect(filesOf(await api.put(cases, body).expect(200), 'Docs')).toEqual([a]);
    expect(({} as Record<string, unknown>)['blobId']).toBeUndefined();
  });

  it('PUT of a missing task is 404, and nothing is stored', async () => {
    const before = await stateOf(service);
    for (const Docs of [[inline('a')], [{ blobId: randomText(20) }], []])
      await api.put(cases, { ID: 'nobody', Docs }).expect(404);
    expect(await stateOf(service)).toEqual(before);
  });

  it('a file of the largest size is stored, one byte more is 413 and stores nothing', async () => {
    const largest = Buffer.alloc(maxFileBytes, 'x');
    const answer = await api.post(cases, { ID: 'largest', Docs: [inline('x', largest)] }).expect(201);
    expect((await download(api, filesOf(answer, 'Docs')[0]?.blobId ?? '')).body.equals(largest)).toBe(true);
    const before = await stateOf(service);
    const more = [inline('small'), inline('x', Buffer.alloc(maxFileBytes + 1, 'x'))];
    // Also before other faults are told, and before the 404 of PUT.
    for (const refused of [
      api.post(cases, { ID: 'larger', Docs: more, Nope: 1 }),
      api.put(cases, { ID: 'nobody', Docs: more }),
      api.put(cases, { ID: 'largest', Docs: more }),
    ])
      await refused.expect(413, /A file is larger than 200000 bytes\./);
    expect(await stateOf(service)).toEqual(before);
  });

  it('fields, files and links of one payload are one version, all or nothing', async () => {
    await api.post(parts, { 'Part ID': 'p2' }).expect(201);
    const sent = { ID: 'both', Docs: [inline('a')], Photos: [inline('p'), inline('q')] };
    const created = await api.post(cases, sent).expect(201);
    expect([versionOf(created), namesOf(filesOf(created, 'Photos'))]).toEqual([1, ['p', 'q']]);
    const change = { ID: 'both', Title: 'u', Docs: [inline('b')], Photos: [], Parts: [{ 'Part ID': 'p2' }] };
    const updated = await api.post(cases, change).expect(200);
    expect([versionOf(updated), namesOf(filesOf(updated, 'Docs'))]).toEqual([2, ['b']]);
    expect(updated.body).toMatchObject({ Title: 'u', Photos: [], Parts: [{ 'Part ID': 'p2' }] });
    await expectNoOrphans();
    await expectRefused({ ...change, Parts: [{ 'Part ID': 'p404' }] }, { Parts: ['does not exist: p404'] });
  });
});

describe('2.2 file attachments that are refused', () => {
  const anyFile = inline('a');
  const { contentType: _type } = anyFile;
  const { filename: _name, ...unnamed } = anyFile;
  const sources = 'needs one of blobId, base64contents and remoteUrl for each file';
  const names = 'needs filename and contentType with base64contents';
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
    ['no source', [{ filename: 'a', contentType: 'text/plain' }], sources],
    ['Base64 without filename', [unnamed], names],
    ['a path', [{ ...anyFile, filename: '../a' }], 'has a filename that is a path, not a name'],
    ['CRLF in a contentType', [{ ...anyFile, contentType: 'text/html\r\nX: y' }], notMedia],
    ['a remoteUrl that is no URL', [{ remoteUrl: 'here' }], notHttp],
    ['a blobId that is no text', [{ blobId: 7 }], 'has a blobId that is not a text'],
    ['an unknown blobId', [{ blobId: 'unknown' }], notHere],
    ['the same blobId twice', [{ blobId: 'x' }, anyFile, { blobId: 'x' }], 'contains a file twice'],
    ['more than the limit', [anyFile, anyFile, anyFile, anyFile], 'holds more than 3 files'],
    ['an object', { 0: anyFile }, notArray],
    ['null for a file', [anyFile, null], 'contains an entry that is not a file'],
  ])('%s', async (_what, Docs, message) => {
    await expectRefused({ ID: 'refused', Docs }, { Docs: [message] });
  });

  it('a blobId of another field, task, workflow or workspace, or of a removed file', async () => {
    const body = { ID: 'from', Docs: [inline('a'), inline('b')], Photos: [inline('p')] };
    const from = await api.post(cases, body).expect(201);
    const [docs, photos] = [filesOf(from, 'Docs'), filesOf(from, 'Photos')];
    const part = filesOf(await api.post(parts, { 'Part ID': 'from', Plans: [inline('x')] }), 'Plans');
    const foreign = filesOf(await other.post(cases, { ID: 'refused', Docs: [inline('y')] }), 'Docs');
    await api.put(cases, { ID: 'from', Docs: [docs[0]] }).expect(200);
    for (const file of [docs[0], docs[1], photos[0], part[0], foreign[0]]) {
      for (const Docs of [[file], [inline('n'), { blobId: file?.blobId }]])
        await expectRefused({ ID: 'refused', Docs }, { Docs: [notHere] });
    }
    const swapped = { ID: 'from', Docs: [photos[0]], Photos: [docs[0]] };
    await expectRefused(swapped, { Docs: [notHere], Photos: [notHere] });
    expect(await api.refusal(cases, { ID: 'fresh', Docs: [docs[0]] })).toEqual({ Docs: [notHere] });
  });

  it('all faults of a payload are in one answer, and nothing of the payload is stored', async () => {
    const payload = { ID: 'refused', Nope: 1, Stage: 'Nowhere', Docs: [inline('new'), { blobId: 'x' }], Photos: [{}], Title: ['t'] }; // prettier-ignore
    const { body: alone } = await api.put(cases, { ID: 'refused', Title: ['t'] }).expect(422);
    await expectRefused(payload, {
      Nope: ['is not a field of this workflow'],
      Stage: ['is not a stage of this workflow: Nowhere; it has: New, Done'],
      Docs: [notHere],
      Photos: [sources],
      ...(alone as { errors: object }).errors,
    });
  });
});
