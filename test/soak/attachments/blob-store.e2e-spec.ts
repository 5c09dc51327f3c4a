import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobStore } from '../../../src/task-store/blob-store.js';
import { openBlobStore } from '../../../src/attachments/stores/open-blob-store.js';
import { randomText } from '../../../src/lib/random-id.js';
import { startS3, type TestS3 } from '../../support/s3.js';
import { until } from '../../support/until.js';

let folder: string;
let s3: TestS3;
const stores = new Map<string, BlobStore>();
const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wts-blobs-'));
  s3 = await startS3();
  Object.assign(process.env, credentials);
  const settings = { dataDir: join(folder, 'not', 'there'), s3Endpoint: s3.endpoint, s3Region: 'eu-north-1' };
  stores.set('a folder', await openBlobStore({ ...settings, blobStore: undefined }));
  stores.set('S3', await openBlobStore({ ...settings, blobStore: 's3://files/some/where/' }));
});

afterAll(async () => {
  for (const store of stores.values()) await store.close();
  for (const name of Object.keys(credentials)) Reflect.deleteProperty(process.env, name);
  await s3.stop();
  await rm(folder, { recursive: true });
});

const id = (): string => randomText(20);
const root = (): string => join(folder, 'not', 'there', 'blobs');
const bytesOf = (...texts: string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)));

async function filesIn(place: string): Promise<readonly string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function textOf(stream: Readable | undefined): Promise<string | undefined> {
  if (!stream) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** So many bytes in pieces of 64 kB, and the hash of what was taken of them. */
function manyBytes(length: number): { bytes: AsyncIterable<Uint8Array>; hash: () => string } {
  const hash = createHash('sha256');
  async function* generate(): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; left -= 65_536) {
      const piece = Buffer.alloc(Math.min(left, 65_536), `${left} `);
      hash.update(piece);
      yield piece;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { bytes: generate(), hash: () => hash.digest('hex') };
}

async function hashOf(stream: Readable | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream ?? []) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function* failing(length: number): AsyncGenerator<Uint8Array> {
  yield* manyBytes(length).bytes;
  throw new Error('the client went away');
}

describe.each(['a folder', 'S3'])('6. attachments: blobs in %s', (name) => {
  let store: BlobStore;
  beforeAll(() => {
    store = stores.get(name) as BlobStore;
  });

  it.each([[[]], [['ab', '', 'c', 'de']]])('are read as they were written: %j', async (texts: string[]) => {
    const blob = id();
    await store.write(blob, bytesOf(...texts));
    expect(await textOf(await store.read(blob))).toBe(texts.join(''));
  });

  it.each([5 * 2 ** 20, 5 * 2 ** 20 + 1])('hold %i bytes', async (length) => {
    const blob = id();
    const { bytes, hash } = manyBytes(length);
    await store.write(blob, bytes);
    const read = await hashOf(await store.read(blob));
    expect(read).toBe(hash());
  });

  it('are read in part', async () => {
    const blob = id();
    await store.write(blob, bytesOf('0123456789'));
    expect(await textOf(await store.read(blob, { start: 3, end: 6 }))).toBe('3456');
    expect(await textOf(await store.read(blob, { start: 9, end: 9 }))).toBe('9');
  });

  it('are not there before they are written, and no more when they are removed', async () => {
    const blob = id();
    expect(await store.read(blob)).toBeUndefined();
    expect(await store.read(blob, { start: 0, end: 1 })).toBeUndefined();
    await store.write(blob, bytesOf('x'));
    await store.remove(blob);
    expect(await store.read(blob)).toBeUndefined();
    await store.remove(blob);
    await store.remove(id());
  });

  it.each([100_000, 12_000_000])('stay away when their source fails after %i bytes', async (length) => {
    const blob = id();
    await expect(store.write(blob, failing(length))).rejects.toThrow('the client went away');
    expect(await store.read(blob)).toBeUndefined();
    expect(await readdir(join(root(), 'unfinished'))).toEqual([]);
    expect(await s3.openUploads()).toEqual([]);
  });

  it('are replaced as a whole by a second write, and kept by one that fails', async () => {
    const blob = id();
    await store.write(blob, bytesOf('first'));
    await expect(store.write(blob, failing(100_000))).rejects.toThrow();
    expect(await textOf(await store.read(blob))).toBe('first');
    await store.write(blob, bytesOf('2nd'));
    expect(await textOf(await store.read(blob))).toBe('2nd');
  });

  it.each([
    '',
    '..',
    '../../../../../etc/passwd',
    `${'a'.repeat(26)}/`,
    `${'a'.repeat(26)}\n`,
    'a'.repeat(41),
  ])('have no id such as %j', async (wrong) => {
    for (const work of [
      () => store.write(wrong, bytesOf('x')),
      () => store.read(wrong),
      () => store.remove(wrong),
    ])
      await expect(async () => work()).rejects.toThrow('not the id of a blob');
  });
});

describe('6. attachments: blobs in a folder', () => {
  it('are for nobody else to read', async () => {
    const blob = `Zz${id().slice(2)}`;
    await (stores.get('a folder') as BlobStore).write(blob, bytesOf('x'));
    const modes = await Promise.all(
      ['', 'Z', 'Z/z', 'unfinished', `Z/z/${blob}`].map(
        async (path) => (await stat(join(root(), path))).mode,
      ),
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '700', '700', '700', '600']);
  });

  it('leave no trace when the process is killed in mid-write, an hour later at the latest', async () => {
    const place = join(folder, 'killed');
    const module = resolve(import.meta.dirname, '../../../dist/src/attachments/stores/folder-store.js');
    const program = `
      const { openFolderStore } = await import(${JSON.stringify(module)});
      const store = await openFolderStore(${JSON.stringify(place)});
      async function* endless() {
        for (;;) { yield Buffer.alloc(65536); await new Promise((resolve) => setTimeout(resolve, 1)); }
      }
      await store.write('${'k'.repeat(27)}', endless());`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    const unfinished = join(place, 'unfinished');
    await until(async () => (await sizeOf(unfinished)) >= 500_000);
    child.kill('SIGKILL');
    await ended;
    const [left = '', ...others] = await filesIn(place);
    expect(others).toEqual([]);
    expect(left).toMatch(/^k{27}\.[\w-]{8}$/);

    const fresh = await openBlobStore({ blobStore: place, dataDir: '', s3Endpoint: undefined, s3Region: '' });
    expect(await fresh.read('k'.repeat(27))).toBeUndefined();
    expect(await filesIn(place)).toEqual([left]);
    const longAgo = Date.now() / 1000 - 3_700;
    await utimes(join(unfinished, left), longAgo, longAgo);
    await writeFile(join(unfinished, 'notes.txt'), 'not ours');
    await utimes(join(unfinished, 'notes.txt'), longAgo, longAgo);
    await openBlobStore({ blobStore: place, dataDir: '', s3Endpoint: undefined, s3Region: '' });
    expect(await filesIn(place)).toEqual(['notes.txt']);
  });
});

describe('6. attachments: blobs in S3', () => {
  it('that cannot be reached are an error, not missing', async () => {
    const place = { blobStore: 's3://nowhere', dataDir: '', s3Endpoint: s3.endpoint, s3Region: 'eu-north-1' };
    const store = await openBlobStore(place);
    await expect(store.read(id())).rejects.toThrow('bucket does not exist');
    await expect(store.write(id(), bytesOf('x'))).rejects.toThrow();
    await store.close();
  });
});

/** Bytes in all files of a folder; none when it is not there. */
async function sizeOf(place: string): Promise<number> {
  const names = await readdir(place).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(place, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
