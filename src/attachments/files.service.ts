import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound, unavailable } from '../common/errors.js';
import { type Blob, findBlob } from '../tasks/files/blobs.repository.js';
import { type Sights } from '../tasks/store/seen.js';
import { sightOf, type Viewer } from '../workflows/model/known.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { type BlobStore, BLOBS } from '../tasks/files/blob-store.js';

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenFile extends Blob {
  read(range?: ByteRange): Promise<Readable>;
}

@Injectable()
export class FilesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    @Inject(BLOBS) private readonly store: BlobStore,
  ) {}

  /** Finds a file by its blob id; throws 404 unless the viewer sees the task of the file. */
  async find(workspaceId: number, blobId: string, viewer: Viewer): Promise<OpenFile> {
    const bound = await this.sightsOf(workspaceId, viewer);
    const blob = await findBlob(this.dataSource.manager, workspaceId, blobId, bound);
    if (!blob) throw notFound();
    return { ...blob, read: (range) => this.open(blob.id, blob.size, range) };
  }

  private async sightsOf(workspaceId: number, viewer: Viewer): Promise<Sights | undefined> {
    const { userId, narrowing } = viewer;
    if (userId === undefined && !narrowing) return undefined;
    return { userId: userId ?? '', sight: sightOf(await this.workspaces.get(workspaceId), viewer) };
  }

  private async open(id: string, size: number, range: ByteRange | undefined): Promise<Readable> {
    if (size === 0) return Readable.from([]);
    // The store logs its own errors.
    const bytes = await this.store.read(id, range).catch(() => undefined);
    if (!bytes) throw unavailable('The file cannot be read at the moment.');
    return bytes;
  }
}
