import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { blobIds, type FileJson, formOf, inline, storedFiles } from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { startServiceWith } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { testOptions } from '../../support/test-options.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const folder = await temporaryFolder();
const { service, api, key } = await startServiceWith(
  workflowOf(['name: ID, type: uniqueId, required: true', 'name: Docs, type: file']),
  { WTS_BLOB_STORE: folder },
);

const authorization = `Bearer ${key}`;
const formBytes = Buffer.alloc(400_000, 'form ');
const jsonBytes = Buffer.alloc(300_000, 'json ');
const form = formOf({ filename: 'form', bytes: formBytes });
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('F11 a process that is killed during uploads loses no answered file, and leaves no unnamed file', async () => {
  const settings = { WTS_BLOB_STORE: folder, WTS_LOG_LEVEL: 'silent', ...testOptions({ blobGraceMs: 3000 }) };
  const start = (): Promise<OtherProcess> => startOtherProcess(service.config.databaseUrl ?? '', settings);
  await api.post(tasks, { ID: 'shared' }).expect(201);
  /** The blobs that were answered for, and the hashes of their bytes. */
  const promised: [string, string][] = [];
  for (let round = 0; round < 3; round += 1) {
    const both = await Promise.all([start(), start()]);
    await Promise.all(both.map((process, n) => killAmidUploads(process, `${round}-${n}`, promised)));
  }
  const last = await start();
  await until('no other file and no other row', async () => {
    const { rows, named } = await blobIds(service);
    return rows.join() === named.join() && (await storedFiles(folder)).join() === named.join();
  });
  expect(promised.length).toBeGreaterThan(10);
  for (const [blobId, hash] of promised) {
    const answer = await fetch(`${last.url}/api/v1/files/${blobId}`, { headers: { authorization } });
    expect([blobId, answer.status, hashOf(await answer.bytes())]).toEqual([blobId, 200, hash]);
  }
  await last.kill();
});

async function killAmidUploads(
  process: OtherProcess,
  name: string,
  promised: [string, string][],
): Promise<void> {
  let isOver = false;
  const before = promised.length;
  const uploads = Array.from({ length: 4 }, async (_, n) => {
    for (let turn = 0; !isOver; turn += 1) {
      const upload = n % 2 === 0 ? byForm(process.url) : byPayload(process.url, `${name}-${n}-${turn}`);
      const file = await upload.catch(() => undefined);
      if (file) promised.push(file);
    }
  });
  await until('two files', () => promised.length >= before + 2);
  await sleep(Math.random() * 400);
  await process.kill();
  isOver = true;
  await Promise.all(uploads);
}

async function byForm(url: string): Promise<[string, string] | undefined> {
  const headers = { authorization, 'content-type': form.type };
  const answer = await fetch(`${url}${tasks}/shared/attachments/Docs`, {
    method: 'POST',
    headers,
    body: new Uint8Array(form.body),
  });
  if (answer.status !== 201) return undefined;
  return [((await answer.json()) as FileJson).blobId, hashOf(formBytes)];
}

async function byPayload(url: string, ID: string): Promise<[string, string] | undefined> {
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ ID, Docs: [inline('json', jsonBytes)] });
  const answer = await fetch(url + tasks, { method: 'POST', headers, body });
  if (answer.status !== 201) return undefined;
  const [file] = ((await answer.json()) as { Docs: FileJson[] }).Docs;
  return file && [file.blobId, hashOf(jsonBytes)];
}
