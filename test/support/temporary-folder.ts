import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder for all tests of a file, at whose end it is removed. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-'));
  afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));
  return folder;
}
