import { ForCreators } from '../../common/request.js';
import { Controller, Post, Req } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { ReadsBody } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { batchBody, BatchLine, lines, ndjson } from './batch.dto.js';
import { BatchesService } from './batch.service.js';
import { WriteQuery, WriteScope } from '../write-scope.js';
import { type Scope } from '../../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/batch')
@ApiTags('Tasks')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  @ForCreators()
  @ReadsBody
  @ApiOperation({
    summary: 'Create, update or delete many tasks; the answer contains a line for each row',
    requestBody: batchBody,
  })
  @ApiExtraModels(BatchLine)
  @ApiOkResponse({ description: 'A line for each row.', content: { [ndjson]: { schema: lines } } })
  writeTasks(@WriteScope(WriteQuery) scope: Scope, @Req() request: Request): Reply {
    return this.batches.write(scope, request);
  }
}
