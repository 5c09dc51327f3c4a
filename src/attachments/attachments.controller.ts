import { Controller, Delete, HttpCode, Param, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { ReadsBody } from '../ops/query.js';
import { Demanded } from '../http/etag.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { jsonReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { type Precondition } from '../task-store/task-row.js';
import { AttachmentsService } from './attachments.service.js';
import { WriteQuery, WriteScope } from '../http/silence.js';
import { type Scope } from '../workspace/scope.js';

/** The attachments of a task, one at a time. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/attachments/:field')
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Post()
  @ReadsBody
  async add(
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
  async remove(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('field') field: string,
    @Param('blob_id') blobId: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.attachments.remove(scope, { task: uniqueId, field }, blobId, precondition);
  }
}
