import S3rver from '@20minutes/s3rver';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestS3 {
  readonly endpoint: string;
  /** Uploads that were neither completed nor aborted. */
  openUploads(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** An S3 service with a bucket `files`; key and secret are `S3RVER`. */
export async function startS3(): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'wts-s3-'));
  const uploads = join(directory, 'files', '._S3rver_uploads');
  const s3rver = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'files' }] });
  await s3rver.configureBuckets();
  const answer = s3rver.callback();
  const server = createServer((request, response) => {
    const upload = new URL(request.url ?? '/', 'http://s3').searchParams.get('uploadId');
    if (request.method !== 'DELETE' || upload === null) answer(request, response);
    // The only request of the service that s3rver does not know.
    else
      void rm(join(uploads, upload), { recursive: true }).finally(() => {
        response.writeHead(204).end();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    openUploads: () => readdir(uploads).catch(() => []),
    async stop() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}
