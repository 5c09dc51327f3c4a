import { type StoredFile } from '../schema/file-value.js';

/** An attachment as interface.md 2.2 shows it. */
export class AttachmentDto {
  readonly blobId: string;
  readonly contentType: string;
  readonly filename: string;

  constructor({ blobId, contentType, filename }: StoredFile) {
    this.blobId = blobId;
    this.contentType = contentType;
    this.filename = filename;
  }
}
