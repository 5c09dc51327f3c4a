import { Controller, Delete, HttpCode, Param, Post, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  AttachmentDto,
  KeptAttachment,
  RemoteAttachment,
  SentAttachment,
  UploadForm,
} from './attachment.dto.js';
import { type Request } from 'express';
import { ReadsBody } from '../common/ops/query.js';
import { Demanded } from '../tasks/entity-tag.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { jsonReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { type Precondition } from '../tasks/store/task-row.js';
import { AttachmentsService } from './attachments.service.js';
import { WriteQuery, WriteScope } from '../tasks/write-scope.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/attachments/:field')
@ApiTags('Attachments')
@ApiExtraModels(KeptAttachment, SentAttachment, RemoteAttachment)
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Post()
  @ReadsBody
  @ApiOperation({ summary: 'Attach a file' })
  @ApiBody({ type: UploadForm })
  @ApiConsumes('multipart/form-data')
  @ApiCreatedResponse({ type: AttachmentDto })
  async attachFile(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('field') field: string,
    @Demanded() precondition: Precondition,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Req() request: Request,
  ): Promise<Reply> {
    const options = { precondition, idempotencyKey };
    const file = await this.attachments.add(scope, { task: uniqueId, field }, options, request);
    return jsonReply(JSON.stringify(file), {
      status: 201,
      headers: { Location: `/api/v1/files/${file.blobId}` },
    });
  }

  @Delete(':blob_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove an attachment' })
  async removeFile(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('field') field: string,
    @Param('blob_id') blobId: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.attachments.remove(scope, { task: uniqueId, field }, blobId, precondition);
  }
}
