import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

// The types of `@ApiProperty` lack `contentMediaType`, which is new in OpenAPI 3.1.
const bytesOfFile: object = { contentMediaType: 'application/octet-stream' };

@ApiSchema({ name: 'Upload' })
export class UploadForm {
  @ApiProperty({ type: String, description: 'The file. The part may have any name.', ...bytesOfFile })
  readonly file: unknown;
}

export class KeptAttachment {
  @ApiProperty({ type: String, description: 'The `blobId` of an attachment that the field has already.' })
  readonly blobId: unknown;

  @ApiPropertyOptional({ type: String, description: 'Another name renames the file.' })
  readonly filename: unknown;

  @ApiPropertyOptional({ type: String, description: 'If given, must be the media type of the file.' })
  readonly contentType: unknown;
}

export class SentAttachment {
  @ApiProperty({ type: String, description: 'The bytes in Base64: RFC 4648, the standard alphabet.' })
  readonly base64contents: unknown;

  @ApiProperty({ type: String, description: 'A media type.' })
  readonly contentType: unknown;

  @ApiProperty({ type: String, description: 'A name, not a path; at most 255 bytes.' })
  readonly filename: unknown;
}

export class RemoteAttachment {
  @ApiProperty({ type: String, description: 'An http(s) address that the service downloads from.' })
  readonly remoteUrl: unknown;

  @ApiPropertyOptional({ type: String, description: 'Default: the media type of the response.' })
  readonly contentType: unknown;

  @ApiPropertyOptional({ type: String, description: 'Default: the name in the response or the address.' })
  readonly filename: unknown;
}

@ApiSchema({ name: 'Attachment' })
export class AttachmentDto {
  @ApiProperty({ description: 'Identifies the bytes: `GET /api/v1/files/{blob_id}`.' })
  readonly blobId!: string;

  @ApiProperty({ description: 'The media type that was sent with the file.' })
  readonly contentType!: string;

  @ApiProperty({ description: 'A name, not a path.' })
  readonly filename!: string;
}
