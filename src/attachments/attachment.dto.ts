import { Described } from '../lib/described.js';
import { text } from '../openapi/vocabulary.js';
import { type StoredFile } from '../schema/file-value.js';

/** An attachment as interface.md 2.2 shows it. */
export class AttachmentDto {
  @Described(text('Names its bytes: `GET /api/v1/files/{blob_id}`.'))
  readonly blobId: string;

  @Described(text('The media type that came with it.'))
  readonly contentType: string;

  @Described(text('A name, not a path.'))
  readonly filename: string;

  constructor({ blobId, contentType, filename }: StoredFile) {
    this.blobId = blobId;
    this.contentType = contentType;
    this.filename = filename;
  }
}
