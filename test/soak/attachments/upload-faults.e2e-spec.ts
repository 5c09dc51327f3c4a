import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { blobIds, download, type FileJson, formOf, inline, storedFiles } from '../../support/attachments.js';
import { workflowOf } from '../../support/definitions.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { patience, until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

const tasks = '/api/v1/workflows/things/tasks';
const definition = workflowOf(['name: ID, type: uniqueId, required: true', 'name: Title, type: text', 'name: Docs, type: file']); // prettier-ignore

let service: TestService;
let folder: string;
let key: string;
let api: Client;
const others: OtherProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wts-faults-'));
  service = await startService({ WTS_BLOB_STORE: folder });
  await service.apply(definition);
  key = await service.key('acme');
  api = service.client(key);
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.kill();
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The service in a process of its own, on the same database and folder. */
async function startOther(environment: Readonly<Record<string, string>> = {}): Promise<OtherProcess> {
  const settings = { WTS_BLOB_STORE: folder, WTS_LOG_LEVEL: 'silent', ...environment };
  const other = await startOtherProcess(service.config.databaseUrl ?? '', settings);
  others.push(other);
  return other;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });
afterAll(() => {
  agent.destroy();
});

/** An answer, or nothing where the connection was lost; a body is sent when the service has asked for it. */
async function send(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  type?: string,
  body?: Buffer,
): Promise<Answer | undefined> {
  const about = body && { 'Content-Type': type, 'Content-Length': body.length, Expect: '100-continue' };
  const sent = request(url, { method, headers: { Authorization: `Bearer ${key}`, ...about }, agent });
  sent.on('error', () => undefined);
  if (body) sent.on('continue', () => sent.end(body)).flushHeaders();
  else sent.end();
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, body: await buffer(answer) };
  } catch {
    return undefined;
  } finally {
    if (!sent.writableEnded) sent.destroy();
  }
}

const jsonOf = (answer: Answer): unknown => JSON.parse(answer.body.toString());
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('F11 a process that is killed during uploads', () => {
  const formBytes = Buffer.alloc(400_000, 'form ');
  const jsonBytes = Buffer.alloc(300_000, 'json ');
  const form = formOf({ filename: 'form', bytes: formBytes });

  const promised: [string, string][] = [];

  it('loses no file that it answered for, and leaves none that no task names: 6 processes', async () => {
    const other = testOptions({ blobGraceMs: 3000 });
    await api.post(tasks, { ID: 'shared' }).expect(201);
    for (let round = 0; round < 3; round++) {
      const both = await Promise.all([startOther(other), startOther(other)]);
      await Promise.all(both.map((process, n) => killAmidUploads(process, `${round}-${n}`)));
    }
    await ageUnfinished();
    const last = await startOther(other);
    await until('no other file and no other row', async () => {
      const { rows, named } = await blobIds(service);
      return rows.join() === named.join() && (await storedFiles(folder)).join() === named.join();
    });
    expect(promised.length).toBeGreaterThan(10);
    for (const [blobId, hash] of promised) {
      const { status, body } = (await send('GET', `${last.url}/api/v1/files/${blobId}`)) ?? {};
      expect([blobId, status, body && hashOf(body)]).toEqual([blobId, 200, hash]);
    }
    for (const blobId of (await blobIds(service)).named)
      expect((await download(api, blobId)).body.length).toBeGreaterThanOrEqual(jsonBytes.length);
  });

  async function killAmidUploads(process: OtherProcess, name: string): Promise<void> {
    let isOver = false;
    const before = promised.length;
    const uploads = Array.from({ length: 4 }, async (_, n) => {
      for (let turn = 0; !isOver; turn++) {
        const upload = n % 2 === 0 ? byForm(process.url) : byPayload(process.url, `${name}-${n}-${turn}`);
        const file = await upload;
        if (file) promised.push(file);
      }
    });
    while (promised.length < before + 2) await wait(5);
    await wait(Math.random() * 400);
    await process.kill();
    isOver = true;
    await Promise.all(uploads);
  }

  async function byForm(url: string): Promise<[string, string] | undefined> {
    const answer = await send('POST', `${url}${tasks}/shared/attachments/Docs`, form.type, form.body);
    return answer?.status === 201 ? [(jsonOf(answer) as FileJson).blobId, hashOf(formBytes)] : undefined;
  }

  async function byPayload(url: string, id: string): Promise<[string, string] | undefined> {
    const body = Buffer.from(JSON.stringify({ ID: id, Docs: [inline('json', jsonBytes)] }));
    const answer = await send('POST', `${url}${tasks}`, 'application/json', body);
    const [file] = answer?.status === 201 ? (jsonOf(answer) as { Docs: FileJson[] }).Docs : [];
    return file && [file.blobId, hashOf(jsonBytes)];
  }

  /** What was being written is as if an hour had passed. */
  async function ageUnfinished(): Promise<void> {
    const longAgo = Date.now() / 1000 - 3700;
    const unfinished = join(folder, 'unfinished');
    for (const name of await readdir(unfinished)) await utimes(join(unfinished, name), longAgo, longAgo);
  }
});

describe('F10 memory', () => {
  it('50 uploads of 10 MB by form, and 50 of 5 MB in payloads at once, take less than 700 MB and hinder nobody', async () => {
    const crowd = Array.from({ length: 50 }, (_, n) => `${n}`);
    for (const ID of crowd) await api.post(tasks, { ID }).expect(201);
    // A slow machine takes longer for requests, and is late with bodies.
    const other = await startOther(testOptions({ requestMs: 600_000 }));
    const bytes = Buffer.alloc(10 * 2 ** 20, 'ten megabytes ');
    const { type, body } = formOf({ filename: 'ten', bytes });
    const half = bytes.subarray(0, 5 * 2 ** 20);
    const whole = Buffer.from(JSON.stringify({ ID: 'ID', Docs: [inline('five', half)] }));
    const payloadOf = (id: string): Buffer =>
      Buffer.concat([Buffer.from(`{"ID":"${id}"`), whole.subarray(10)]);
    const work = { isOver: false };
    const reads: (number | undefined)[] = [];
    const reading = (async (): Promise<void> => {
      while (!work.isOver) {
        const answer = send('GET', `${other.url}${tasks}/1`);
        reads.push((await Promise.race([answer, wait(patience, undefined, { ref: false })]))?.status);
      }
    })();

    const forms = await Promise.all(
      crowd.map((id) => send('POST', `${other.url}${tasks}/${id}/attachments/Docs`, type, body)),
    );
    const stored = await blobIds(service);
    const payloads = await Promise.all(
      crowd.map((id) => send('PUT', `${other.url}${tasks}`, 'application/json', payloadOf(id))),
    );
    work.isOver = true;
    await reading;

    const statuses = [...forms, ...payloads].map((answer) => answer?.status ?? 0);
    expect(statuses.filter((status) => ![200, 201, 408, 413, 429, 503].includes(status))).toEqual([]);
    expect(forms.filter((answer) => answer?.status === 201)).toHaveLength(stored.named.length);
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(50);
    expect(reads.filter((status) => status !== 200)).toEqual([]);
    expect(reads.length).toBeGreaterThan(20);
    const [, peak] = /VmHWM:\s*(\d+) kB/.exec(await readFile(`/proc/${other.pid}/status`, 'utf8')) ?? [];
    expect(Number(peak)).toBeGreaterThan(50_000);
    expect(Number(peak)).toBeLessThan(700_000);
  });
});
