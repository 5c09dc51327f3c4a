import { Described, type Schema } from '../lib/described.js';
import { text } from '../openapi/vocabulary.js';
import { type StoredFile } from '../schema/file-value.js';

/** The body of an upload. */
export class UploadForm {
  @Described({
    type: 'string',
    description: 'The one file, under any name.',
    contentMediaType: 'application/octet-stream',
  } as Schema)
  readonly file: unknown;
}

/** What stands in the payload of a task for an attachment that stays. */
export class KeptAttachment {
  @Described(text('One that the field has already.'))
  readonly blobId: unknown;
}

/** What stands there for a new one that comes along. */
export class SentAttachment {
  @Described(text('RFC 4648, the standard alphabet.'))
  readonly base64contents: unknown;

  @Described(text('A media type.'))
  readonly contentType: unknown;

  @Described(text('A name, not a path; at most 255 bytes.'))
  readonly filename: unknown;
}

/** What stands there for a new one that the service downloads. */
export class RemoteAttachment {
  @Described(text('An http(s) address that the service downloads from.'))
  readonly remoteUrl: unknown;

  @Described(text('Else that of the response.'), { optional: true })
  readonly contentType: unknown;

  @Described(text('Else that of the response or of the address.'), { optional: true })
  readonly filename: unknown;
}

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
