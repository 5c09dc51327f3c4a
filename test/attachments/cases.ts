import { type Response } from 'supertest';
import { type Environment } from '../../src/config.js';
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

export const maxFileBytes = 200_000;
export const cases = '/api/v1/workflows/cases/tasks';
export const strict = '/api/v1/workflows/strict/tasks';
export const numbered = '/api/v1/workflows/numbered/tasks';
export const parts = '/api/v1/workflows/parts/tasks';

/** The service that the tests of a file ask, clients of its workspaces acme and other, and the key of the first. */
export let service: TestService;
export let api: Client;
export let other: Client;
export let key: string;

export async function open(environment: Environment = {}): Promise<void> {
  service = await startService({ WTS_MAX_FILE_BYTES: `${maxFileBytes}`, ...environment });
  await countVersionsFromOne(service);
  await service.apply(definition('acme'));
  await service.apply(definition('other'));
  key = await service.key('acme');
  api = service.client(key);
  other = service.client(await service.key('other'));
}

export const close = (): Promise<void> => service.stop();

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
  return filesOf(
    await api.post(cases, { ID: id, Docs: names.map((name) => inline(name)) }).expect(201),
    'Docs',
  );
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

/** A problem document, its request id aside. */
export function problemOf(answer: Response | { status: number; body: unknown }): object {
  const { request_id, ...problem } = answer.body as Record<string, unknown>;
  expect(typeof request_id).toBe('string');
  expect(problem['status']).toBe(answer.status);
  return problem;
}
export const missing = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: expect.stringMatching(/^(No |There is nothing here)/) as unknown,
};
export const stale = {
  type: 'about:blank',
  title: 'Precondition Failed',
  status: 412,
  detail: 'The task has changed since: GET it again and send its new ETag.',
};
export const tooLarge = (detail: string): object => ({
  type: 'about:blank',
  title: 'Content Too Large',
  status: 413,
  detail,
});
