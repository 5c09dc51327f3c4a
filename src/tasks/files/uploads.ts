import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createHash } from 'node:crypto';
import { FairSemaphore, type Holder } from '../../../packages/fair/semaphore.js';
import { CONFIG, type Config } from '../../config.js';
import { doSideBySide } from '../../common/each.js';
import { busy, Refusal, unavailable } from '../../common/errors.js';
import { FieldErrors } from '../../common/field-errors.js';
import { type Logger, LOGGER } from '../../common/logger.js';
import { download } from '../../../packages/safe-http/download.js';
import { OutboundFailure } from '../../../packages/safe-http/failure.js';
import { Outbound } from '../../../packages/safe-http/client.js';
import { randomText } from '../../common/random-id.js';
import { type NewFile, newFilesOf, type TaskChange } from '../../workflows/fields/task-change.js';
import {
  decodeBase64,
  isMediaType,
  type RemoteFile,
  type StoredFile,
} from '../../workflows/fields/file-value.js';
import { withTimeLimit } from '../../../packages/fair/time-limit.js';
import { announceBlobs, type UploadedFile } from './blobs.repository.js';
import { dropBlobs } from './sweep-blobs.js';
import { type BlobStore, BLOBS, UnreadableBytes } from './blob-store.js';
import { type Scope } from '../../workflows/model/scope.js';
import { say } from '../../common/message.js';

/** A file to be stored; its bytes can be read only once. */
export interface Upload {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Stores the bytes of attachments before a transaction refers to them. */
@Injectable()
export class Uploads {
  /** Limits the downloads of this process, because each one holds a connection. */
  private readonly downloads = new FairSemaphore(64, busy('Too many downloads are in progress.'), {
    ofWorkspace: 32,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbound: Outbound,
    @Inject(BLOBS) private readonly store: BlobStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Throws 413 if the payload contains a file that is too large. Does not check files from other servers. */
  requireSizes(change: TaskChange): void {
    const { maxFileBytes } = this.config;
    for (const { file } of newFilesOf(change))
      if (file.from === 'payload' && file.size > maxFileBytes)
        throw new Refusal('too-large', say`A file is larger than ${maxFileBytes} bytes.`);
  }

  /** Stores the new files of the change that are not in `uploaded` yet, and adds them to `uploaded`. */
  async storeNew(scope: Scope, change: TaskChange, uploaded: Map<string, UploadedFile>): Promise<void> {
    const {
      workflow: { schema },
      deadline,
    } = scope;
    const wanted = newFilesOf(change).filter(({ key }) => !uploaded.has(key));
    const errors = new FieldErrors();
    const storeAll = (signal: AbortSignal): Promise<void> =>
      doSideBySide(wanted, MAX_CONCURRENT, async ({ key, field, file }) => {
        try {
          uploaded.set(key, await this.storeOne(scope, file, signal));
        } catch (error) {
          if (!(error instanceof OutboundFailure)) throw error;
          errors.add(schema.files.get(field)?.name ?? '', `could not be downloaded: ${error.message}`);
        }
      });
    const store = (): Promise<void> => withTimeLimit(this.config.downloadMs, [], storeAll);
    const isRemote = wanted.some(({ file }) => file.from !== 'payload');
    await (deadline && isRemote ? deadline.except(store) : store());
    errors.throwIfAny();
  }

  /** Stores bytes under a new blob id. If the bytes cannot be read or stored, throws and keeps nothing. */
  async put(workspaceId: number, { filename, contentType, bytes }: Upload): Promise<UploadedFile> {
    const blobId = randomText(20);
    await announceBlobs(this.dataSource.manager, workspaceId, [blobId]);
    const counted = new CountedBytes(bytes);
    try {
      await this.store.write(blobId, counted);
    } catch (error) {
      // The store logs its own errors.
      await this.drop(workspaceId, [blobId]);
      throw error instanceof UnreadableBytes
        ? error.cause
        : unavailable('The file cannot be stored at the moment.');
    }
    const file: StoredFile = { blobId, contentType, filename };
    return { file, size: counted.size, sha256: counted.hash.digest() };
  }

  /** Removes these files, except those to which a task refers. */
  async dropUnnamed(workspaceId: number, files: readonly UploadedFile[]): Promise<void> {
    await this.drop(
      workspaceId,
      files.map(({ file }) => file.blobId),
    );
  }

  private async drop(workspaceId: number, ids: readonly string[]): Promise<void> {
    await dropBlobs(this.dataSource.manager, this.store, workspaceId, ids).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'blobs were not removed; the next sweep removes them');
    });
  }

  private async storeOne(holder: Holder, file: NewFile, signal: AbortSignal): Promise<UploadedFile> {
    const { workspaceId } = holder;
    if (file.from === 'payload') {
      const { filename, contentType, base64 } = file;
      return this.put(workspaceId, { filename, contentType, bytes: decodeBase64(base64) });
    }
    return this.downloads.use(holder, () => this.storeRemote(workspaceId, file, signal));
  }

  private async storeRemote(
    workspaceId: number,
    file: RemoteFile,
    signal: AbortSignal,
  ): Promise<UploadedFile> {
    const limits = { workspaceId, signal, maxBytes: this.config.maxFileBytes };
    const found = await download(this.outbound, file.url, limits);
    try {
      return await this.put(workspaceId, {
        filename: file.filename ?? found.filename ?? 'file',
        contentType: file.contentType ?? mediaTypeOf(found.contentType) ?? 'application/octet-stream',
        bytes: found.body,
      });
    } finally {
      // If the store fails early, part of the body is still unread.
      found.body.destroy();
    }
  }
}

/** Returns the media type that a server sent; undefined if it is absent or invalid. */
function mediaTypeOf(text: string | undefined): string | undefined {
  return text !== undefined && isMediaType(text) ? text : undefined;
}

/** Counts and hashes bytes. Wraps errors of the source, to distinguish them from errors of the store. */
class CountedBytes {
  readonly hash = createHash('sha256');
  size = 0;

  constructor(private readonly bytes: AsyncIterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of this.bytes) {
        this.hash.update(piece);
        this.size += piece.length;
        yield piece;
      }
    } catch (cause) {
      throw new UnreadableBytes('the bytes of a file could not be read', { cause });
    }
  }
}

const MAX_CONCURRENT = 4;
