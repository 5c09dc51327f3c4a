import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openBlobStore } from '../../src/attachments/stores/open-blob-store.js';
import { randomText } from '../../src/common/random-id.js';
import { type BlobStore } from '../../src/tasks/files/blob-store.js';
import { startS3 } from '../support/s3.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

const folder = await temporaryFolder();
const s3 = await startS3();
Object.assign(process.env, credentials);
afterAll(async () => {
  for (const name of Object.keys(credentials)) Reflect.deleteProperty(process.env, name);
  await s3.stop();
});

const open = (blobStore: string): Promise<BlobStore> =>
  openBlobStore({ blobStore, dataDir: '', s3Endpoint: s3.endpoint, s3Region: 'eu-north-1' });
const id = (): string => randomText(20);
const bytesOf = (...texts: string[]): Readable => Readable.from(texts.map((part) => Buffer.from(part)));
const textOf = async (stream: Readable | undefined): Promise<string | undefined> => stream && text(stream);

/** Fails behind the first part of an upload. */
async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.alloc(6_000_000));
  throw new Error('the client went away');
}

describe.each(['a folder', 'S3'])('6. attachments: blobs in %s', (name) => {
  let store: BlobStore;
  beforeAll(async () => {
    store = await open(name === 'S3' ? 's3://files/some/where/' : join(folder, 'not', 'there'));
  });
  afterAll(() => store.close());

  it('are read as they were written, as a whole and in part', async () => {
    const [empty, blob] = [id(), id()];
    await store.write(empty, bytesOf());
    await store.write(blob, bytesOf('0123', '', '456789'));
    expect(await textOf(await store.read(empty))).toBe('');
    expect(await textOf(await store.read(blob))).toBe('0123456789');
    expect(await textOf(await store.read(blob, { start: 3, end: 6 }))).toBe('3456');
    expect(await textOf(await store.read(blob, { start: 9, end: 9 }))).toBe('9');
  });

  it('hold more than one part of an upload', async () => {
    const blob = id();
    const pieces = Array.from({ length: 81 }, (_, at) => `${at} `.repeat(65_536 / 2).slice(0, 65_536));
    await store.write(blob, bytesOf(...pieces));
    expect((await textOf(await store.read(blob))) === pieces.join('')).toBe(true);
  });

  it('are missing before they are written, and after they are removed', async () => {
    const blob = id();
    expect(await store.read(blob)).toBeUndefined();
    await store.write(blob, bytesOf('x'));
    await store.remove(blob);
    await store.remove(blob);
    expect(await store.read(blob)).toBeUndefined();
  });

  it('stay missing or unchanged if their source fails', async () => {
    const [fresh, blob] = [id(), id()];
    await store.write(blob, bytesOf('first'));
    for (const one of [fresh, blob])
      await expect(store.write(one, failing())).rejects.toThrow('the client went away');
    expect(await store.read(fresh)).toBeUndefined();
    expect(await textOf(await store.read(blob))).toBe('first');
    expect(await s3.openUploads()).toEqual([]);
    await store.write(blob, bytesOf('2nd'));
    expect(await textOf(await store.read(blob))).toBe('2nd');
  });

  it.each(['', '..', 'short', '../../../../../etc/passwd', `${'a'.repeat(26)}/`, `${'a'.repeat(26)}\n`])(
    'have no id such as %j',
    async (wrong) => {
      for (const use of [
        () => store.write(wrong, bytesOf('x')),
        () => store.read(wrong),
        () => store.remove(wrong),
      ])
        await expect(async () => use()).rejects.toThrow('not the id of a blob');
    },
  );
});

describe('6. attachments: a folder of blobs', () => {
  it('is readable only by its owner', async () => {
    const store = await open(join(folder, 'private'));
    const blob = `Zz${id().slice(2)}`;
    await store.write(blob, bytesOf('x'));
    const modes = ['', 'Z', 'Z/z', 'unfinished', `Z/z/${blob}`].map(
      async (path) => (await stat(join(folder, 'private', path))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700, 0o700, 0o600]);
  });

  it('also removes what a killed process has left of a blob', async () => {
    const place = join(folder, 'left');
    const store = await open(place);
    const blob = id();
    await writeFile(join(place, 'unfinished', blob), 'half');
    await store.remove(blob);
    expect(await readdir(join(place, 'unfinished'))).toEqual([]);
  });
});

it('6. attachments: a bucket that cannot be reached is an error, not a missing blob', async () => {
  const store = await open('s3://nowhere');
  await expect(store.read(id())).rejects.toThrow('bucket does not exist');
  await expect(store.write(id(), bytesOf('x'))).rejects.toThrow();
  await store.close();
});
