import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { type BlobStore, blobName } from '../../tasks/files/blob-store.js';

export interface S3Place {
  readonly bucket: string;
  /** The prefix of all keys, without a slash at its end; may be empty. */
  readonly prefix: string;
  /** Undefined for Amazon S3 itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
}

/** Stores blobs as objects of an S3-compatible service. The SDK finds the credentials. */
export function openS3Store({ bucket, prefix, endpoint, region }: S3Place): BlobStore {
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Not every S3-compatible service supports the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { ...timeouts, httpAgent: connections, httpsAgent: connections, logger: silent },
  });
  const objectOf = (id: string): S3Object => ({
    Bucket: bucket,
    Key: [prefix, blobName(id)].filter(Boolean).join('/'),
  });
  return {
    write: async (id, bytes) => write(client, objectOf(id), bytes),
    read: async (id, range) => read(client, objectOf(id), range),
    remove: async (id) => {
      await client.send(new DeleteObjectCommand(objectOf(id)));
    },
    close: () => {
      client.destroy();
      return Promise.resolve();
    },
  };
}

const timeouts = { connectionTimeout: 5_000, socketTimeout: 30_000 };
// Allows many connections, because each download holds one until its client has read the file.
const connections = { keepAlive: true, maxSockets: 1_000 };
const ignore = (): void => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

/** Uploads a small object in one request, and a large one in parts. Only one part is in memory. */
async function write(client: S3Client, object: S3Object, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let upload: (S3Object & { readonly UploadId: string | undefined }) | undefined;
  const parts: CompletedPart[] = [];
  try {
    for await (const part of inParts(bytes)) {
      if (!upload && part.length < PART_BYTES) {
        await client.send(new PutObjectCommand({ ...object, Body: part }));
        return;
      }
      upload ??= {
        ...object,
        UploadId: (await client.send(new CreateMultipartUploadCommand(object))).UploadId,
      };
      const PartNumber = parts.length + 1;
      if (part.length === 0) continue;
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body: part }));
      parts.push({ PartNumber, ETag });
    }
    if (upload)
      await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
  } catch (error) {
    // Ignores a failed abort: a lifecycle rule of the bucket can remove the upload later.
    if (upload) await client.send(new AbortMultipartUploadCommand(upload)).catch(ignore);
    throw error;
  }
}

async function read(
  client: S3Client,
  object: S3Object,
  range?: { start: number; end: number },
): Promise<Readable | undefined> {
  const wanted = range && `${range.start}-${range.end}`;
  try {
    const command = new GetObjectCommand({ ...object, ...(wanted && { Range: `bytes=${wanted}` }) });
    const { Body, ContentRange } = await client.send(command);
    const bytes = Body instanceof Readable ? Body : Readable.from([]);
    if (wanted === undefined || ContentRange?.startsWith(`bytes ${wanted}/`)) return bytes;
    bytes.destroy();
    throw new Error('the store returned another range than requested');
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

/** The size of a part, in bytes: the least that S3 allows, so that many uploads need little memory. */
const PART_BYTES = 5 * 2 ** 20;

/**
 * Splits bytes into parts of `PART_BYTES` and a shorter last part, which may be empty. All parts share one
 * buffer, so a part is valid only until the next one.
 */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  // The operating system allocates only the pages that are written, so a small file needs little memory.
  const part = Buffer.allocUnsafeSlow(PART_BYTES);
  let length = 0;
  for await (const chunk of bytes)
    for (let taken = 0; taken < chunk.length;) {
      const piece = chunk.subarray(taken, taken + PART_BYTES - length);
      part.set(piece, length);
      taken += piece.length;
      length += piece.length;
      if (length < PART_BYTES) continue;
      yield part;
      length = 0;
    }
  yield part.subarray(0, length);
}
