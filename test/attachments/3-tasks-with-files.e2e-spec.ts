import { type Response } from 'supertest';
import { sweepBlobs } from '../../src/tasks/files/sweep-blobs.js';
import {
  download,
  type FileJson,
  filesOf,
  inline,
  sendForm,
  stateOf,
  storedFiles,
} from '../support/attachments.js';
import {
  api,
  bytesOf,
  cases,
  docsOf,
  expectNoOrphans,
  expectRefused,
  namesOf,
  newCase,
  parts,
} from './cases.js';
import { service, strict, sweep, versionOf } from './cases.js';

describe('3. tasks with files: required, editable', () => {
  const required = { Proof: ['is required'] };
  const frozen = { Seal: ['cannot be changed after creation'] };

  it.each([{}, { Proof: [] }, { Proof: null }])(
    'a create without a required file is refused: %j',
    async (given) => {
      const before = await stateOf(service);
      expect(await api.refusal(strict, { ID: 'without', ...given })).toEqual(required);
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it('an update may replace a required file, but not remove it', async () => {
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
      // prettier-ignore
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
  const seen = ({ status, text, headers }: Response): unknown[] => [status, text, headers['etag']];

  it('the body of a GET, sent back by PUT or POST, is accepted and changes nothing', async () => {
    await api.post(parts, { 'Part ID': 'trip', Plans: [inline('x')] }).expect(201);
    const body = { ID: 'trip', Title: 't', Docs: [inline('a'), inline('b')], Photos: [inline('é')] };
    await api.post(cases, { ...body, Parts: [{ 'Part ID': 'trip' }] }).expect(201);
    await api.post(strict, { ID: 'trip', Proof: [inline('a')], Seal: [inline('b')] }).expect(201);
    for (const path of [cases, strict, parts]) {
      const before = await stateOf(service);
      const read = await api.get(`${path}/trip`).expect(200);
      for (const answer of [await api.put(path, read.text), await api.post(path, read.text)])
        expect(seen(answer)).toEqual(seen(read));
      expect(await stateOf(service)).toEqual(before);
    }
  });

  it('the same holds under a smaller limit, which applies to any other array', async () => {
    const yaml = (limit: string): string => `
workspace: { id: shrinking, name: S }
workflows:
  - { id: cases, name: C, stages: [{ name: New }], fields: [{ name: ID, type: uniqueId, required: true }, { name: Docs, type: file${limit} }] }
`;
    const shrinking = await service.clientOf(yaml(''));
    await shrinking.post(cases, { ID: '1', Docs: ['a', 'b', 'c'].map((name) => inline(name)) }).expect(201);
    await service.apply(yaml(', limit: 1'));
    const read = await shrinking.get(`${cases}/1`).expect(200);
    for (const answer of [await shrinking.put(cases, read.text), await shrinking.post(cases, read.text)])
      expect(seen(answer)).toEqual(seen(read));
    const [a, b, c] = filesOf(read, 'Docs');
    const refused = { errors: { Docs: ['holds more than 1 files'] } };
    for (const Docs of [
      [c, b, a],
      [a, b],
      [a, b, c, inline('d')],
      [inline('x'), inline('y'), inline('z')],
    ])
      await shrinking.put(cases, { ID: '1', Docs }).expect(422, refused);
    const form = await sendForm(shrinking, `${cases}/1/attachments/Docs`, { filename: 'd' });
    expect([form.status, form.body]).toEqual([422, refused]);
    await shrinking.put(cases, { ID: '1', Docs: [b] }).expect(200);
  });
});

describe('3. tasks with files: versions, ETag, Idempotency-Key', () => {
  it('If-Match: 412 when stale, and no file is stored; otherwise the files are', async () => {
    await newCase('m', 'a');
    const tag = String((await api.get(`${cases}/m`)).headers['etag']);
    await api.put(cases, { ID: 'm', Docs: [inline('b')] }).set('If-Match', tag).expect(200); // prettier-ignore
    const before = await stateOf(service);
    const [{ blobId } = { blobId: '' }] = await docsOf('m');
    for (const answer of [
      await api.post(cases, { ID: 'm', Docs: [inline('c')] }).set('If-None-Match', '*'),
      await api.post(cases, { ID: 'm-none', Docs: [inline('c')] }).set('If-Match', '*'),
      await api.put(cases, { ID: 'm', Docs: [inline('c')] }).set('If-Match', tag),
      await api.post(cases, { ID: 'm', Docs: [inline('c')] }).set('If-Match', tag),
      await api.put(cases, { ID: 'm', Docs: [] }).set('If-Match', tag),
      await sendForm(api, `${cases}/m/attachments/Docs`, { filename: 'c' }, { 'If-Match': tag }),
      await api.delete(`${cases}/m/attachments/Docs/${blobId}`).set('If-Match', tag),
    ])
      expect(answer.status).toBe(412);
    expect(await stateOf(service)).toEqual(before);
    const today = String((await api.get(`${cases}/m`)).headers['etag']);
    const form = await sendForm(api, `${cases}/m/attachments/Docs`, { filename: 'c' }, { 'If-Match': today });
    expect(form.status).toBe(201);
    await api.delete(`${cases}/m/attachments/Docs/${blobId}`).set('If-Match', '*').expect(204);
    expect(await docsOf('m')).toEqual([form.body]);
    await api.post(cases, { ID: 'm-new', Docs: [inline('c')] }).set('If-None-Match', '*').expect(201); // prettier-ignore
  });
});

describe('6. attachments: files that no task names', () => {
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

  it('a file that is left out is 404 at once; after the grace time, the sweep removes its bytes only', async () => {
    const files = await newCase('swept', 'a', 'b', 'c');
    await api.put(cases, { ID: 'swept', Docs: files.slice(1) }).expect(200);
    await api.get(`/api/v1/files/${files[0]?.blobId}`).expect(404);
    expect(await sweepBlobs(service.dataSource.manager, service.blobs, 60_000)).toBe(0);
    expect(await storedFiles(service.config.blobStore)).toContain(files[0]?.blobId);
    await Promise.all([sweep(), sweep(), sweep()]);
    await expectNoOrphans();
    expect(await Promise.all(files.slice(1).map(bytesOf))).toEqual(['b', 'c']);
  });
});
