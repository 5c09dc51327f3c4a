import { Described, type Schema } from '../lib/described.js';
import { textSchema } from '../openapi/vocabulary.js';
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
  @Described(textSchema('One that the field has already.'))
  readonly blobId: unknown;
}

/** What stands there for a new one that comes along. */
export class SentAttachment {
  @Described(textSchema('RFC 4648, the standard alphabet.'))
  readonly base64contents: unknown;

  @Described(textSchema('A media type.'))
  readonly contentType: unknown;

  @Described(textSchema('A name, not a path; at most 255 bytes.'))
  readonly filename: unknown;
}

/** What stands there for a new one that the service downloads. */
export class RemoteAttachment {
  @Described(textSchema('An http(s) address that the service downloads from.'))
  readonly remoteUrl: unknown;

  @Described(textSchema('Else that of the response.'), { optional: true })
  readonly contentType: unknown;

  @Described(textSchema('Else that of the response or of the address.'), { optional: true })
  readonly filename: unknown;
}

/** An attachment as interface.md 2.2 shows it. */
export class AttachmentDto {
  @Described(textSchema('Names its bytes: `GET /api/v1/files/{blob_id}`.'))
  readonly blobId: string;

  @Described(textSchema('The media type that came with it.'))
  readonly contentType: string;

  @Described(textSchema('A name, not a path.'))
  readonly filename: string;

  constructor({ blobId, contentType, filename }: StoredFile) {
    this.blobId = blobId;
    this.contentType = contentType;
    this.filename = filename;
  }
}
