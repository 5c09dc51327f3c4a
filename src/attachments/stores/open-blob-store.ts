import { join, resolve } from 'node:path';
import { type Config } from '../../config.js';
import { type BlobStore } from '../../tasks/files/blob-store.js';
import { openFolderStore } from './folder-store.js';

type Shown = Pick<Config, 'blobStore' | 'dataDir' | 's3Endpoint' | 'ephemeral'>;
type StoreSettings = Pick<Config, 'blobStore' | 'dataDir' | 's3Endpoint' | 's3Region'>;

/** The location of the store, for operators. */
export function shownBlobStore({ blobStore, dataDir, s3Endpoint, ephemeral }: Shown): string {
  if (blobStore === undefined && ephemeral) return 'a throw-away folder';
  const place = blobStore ?? join(dataDir, 'blobs');
  if (!place.startsWith('s3://')) return resolve(place);
  return s3Endpoint === undefined ? place : `${place} at ${new URL(s3Endpoint).host}`;
}

export async function openBlobStore(config: StoreSettings): Promise<BlobStore> {
  const place = config.blobStore ?? join(config.dataDir, 'blobs');
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(place) ?? [];
  if (bucket === undefined) return openFolderStore(place);
  // Loading the S3 SDK takes longer than everything else, and most services do not need it.
  const { openS3Store } = await import('./s3-store.js');
  return openS3Store({ bucket, prefix, endpoint: config.s3Endpoint, region: config.s3Region });
}
