import { AttachmentsController } from './attachments.controller.js';
import { FilesController } from './files.controller.js';
import { body, empty, json, type HeaderName, parameters, ref } from '../openapi/vocabulary.js';
import { WriteQuery } from '../http/silence.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import {
  AttachmentDto,
  KeptAttachment,
  RemoteAttachment,
  SentAttachment,
  UploadForm,
} from './attachment.dto.js';

const group: OperationGroup = {
  name: 'Attachments',
  description: 'The files of a task, one at a time.',
  models: [AttachmentDto, KeptAttachment, SentAttachment, RemoteAttachment, UploadForm],
  open: ['KeptAttachment', 'SentAttachment', 'RemoteAttachment', 'Upload'],
  schemas: {
    NewAttachment: {
      description: 'One of: an attachment to keep, one with its bytes, one to download.',
      anyOf: ['KeptAttachment', 'SentAttachment', 'RemoteAttachment'].map(ref),
    },
  },
};
const { ifMatch, ifNoneMatch, unless, idempotencyKey, range, ifRange } = parameters;

const safe: readonly HeaderName[] = [
  'ETag',
  'Content-Disposition',
  'X-Content-Type-Options',
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'Cache-Control',
  'Accept-Ranges',
];
const bytes = { description: 'The bytes.' };

export function describeAttachments(): OperationGroup {
  describe(AttachmentsController, group, {
    add: {
      id: 'attachFile',
      summary: 'Attach a file',
      description:
        'Adds the one file of the form, under any name, after the files of the field. Its bytes are stored as they arrive.',
      query: WriteQuery,
      parameters: [ifMatch, unless, idempotencyKey],
      body: { type: 'multipart/form-data', schema: ref('Upload') },
      answers: { 201: json('The attachment.', 'Attachment', ['Location', 'Event-Id']) },
      refusals: ['409', '412', '413', '415'],
    },
    remove: {
      id: 'removeFile',
      summary: 'Remove an attachment',
      description: 'Removes the attachment from the task. It can no longer be downloaded.',
      query: WriteQuery,
      parameters: [ifMatch, unless],
      answers: { 204: empty('The attachment was removed.', ['Event-Id']) },
      refusals: ['412'],
    },
  });
  return describe(FilesController, group, {
    read: {
      id: 'downloadFile',
      summary: 'Download an attachment',
      description:
        'The bytes as they were sent, always as an attachment. Ranges (RFC 9110) are supported, so a download can be resumed.',
      parameters: [ifNoneMatch, range, ifRange],
      answers: {
        200: body('The file.', '*/*', bytes, [...safe, 'Content-Length']),
        206: body('A part of the file.', '*/*', bytes, [...safe, 'Content-Length', 'Content-Range']),
        304: empty('Not modified.', safe),
      },
      refusals: ['416'],
    },
  });
}
