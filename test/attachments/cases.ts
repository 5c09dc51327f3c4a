import { type Response } from 'supertest';
import { sweepBlobs } from '../../src/tasks/files/sweep-blobs.js';
import {
  blobIds,
  download,
  type FileJson,
  filesOf,
  inline,
  stateOf,
  storedFiles,
} from '../support/attachments.js';
import { countVersionsFromOne, startServiceWith } from '../support/service.js';

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
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields:
      - { name: Part ID, type: uniqueId, required: true }
      - { name: Plans, type: file }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: cases, name: Parts }, to: { workflow: parts, name: Case } }
`;

export const maxFileBytes = 200_000;
export const cases = '/api/v1/workflows/cases/tasks';
export const strict = '/api/v1/workflows/strict/tasks';
export const parts = '/api/v1/workflows/parts/tasks';

/** Where remote files may be fetched from. */
export const allowed = '127.0.0.1';

/** The service that the tests of a file ask, clients of its workspaces acme and other, and the key of the first. */
export const { service, api, key } = await startServiceWith([definition('acme'), definition('other')], {
  WTS_MAX_FILE_BYTES: `${maxFileBytes}`,
  WTS_OUTBOUND_ALLOW: `${allowed}/32`,
});
await countVersionsFromOne(service);
export const other = service.client(await service.key('other'));

/** The sweep, as it is when the grace time of all has passed. */
export const sweep = (): Promise<number> => sweepBlobs(service.dataSource.manager, service.blobs, 0);

/** What is stored is exactly what tasks name. */
export async function expectNoOrphans(): Promise<void> {
  await sweep();
  const { rows, named } = await blobIds(service);
  expect(rows).toEqual(named);
  expect(await storedFiles(service.config.blobStore)).toEqual(named);
}

export const versionOf = ({ headers }: Response): number =>
  Number(/^"(\d+)-/.exec(headers['etag'] ?? '')?.[1]);
export const namesOf = (files: readonly FileJson[]): string[] => files.map(({ filename }) => filename);

/** A case of this id that holds files of these names under `Docs`. */
export async function newCase(id: string, ...names: string[]): Promise<FileJson[]> {
  const Docs = names.map((name) => inline(name));
  return filesOf(await api.post(cases, { ID: id, Docs }).expect(201), 'Docs');
}

export async function docsOf(id: string): Promise<FileJson[]> {
  return filesOf(await api.get(`${cases}/${encodeURIComponent(id)}`).expect(200), 'Docs');
}

export async function bytesOf({ blobId }: FileJson): Promise<string> {
  const answer = await download(api, blobId);
  expect(answer.status).toBe(200);
  return answer.body.toString();
}

/** The payload is refused in exactly these words, and neither a row nor a file comes of it. */
export async function expectRefused(payload: object | string, errors: object, path = cases): Promise<void> {
  const before = await stateOf(service);
  const answers = [await api.post(path, payload), await api.put(path, payload)];
  for (const { status, body } of answers) expect([status, body]).toEqual([422, { errors }]);
  expect(await stateOf(service)).toEqual(before);
}
