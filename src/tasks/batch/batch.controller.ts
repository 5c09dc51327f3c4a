import { ForCreators } from '../../common/request.js';
import { Controller, Post, Req } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import { ApiRefusals } from '../../common/openapi/answers.js';
import { type Request } from 'express';
import { ReadsBody } from '../../common/ops/query.js';
import { Parameters } from '../../common/http/query.decorator.js';
import { type Reply } from '../../common/reply.js';
import { parseSync } from './sync.js';
import { batchBody, BatchLine, BatchQuery, linesOf, ndjson, SyncLine } from './batch.dto.js';
import { ref } from '../../common/openapi/vocabulary.js';
import { BatchesService } from './batch.service.js';
import { WriteScope } from '../write-scope.js';
import { type Scope } from '../../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/batch')
@ApiTags('Tasks')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  @ForCreators()
  @ReadsBody
  @ApiOperation({
    summary: 'Create, update or delete many tasks; the answer has a line for each row',
    requestBody: batchBody,
  })
  @ApiExtraModels(BatchLine, SyncLine)
  @ApiOkResponse({
    description: 'A line for each row; with `_sync`, a last line for the sync.',
    content: { [ndjson]: { schema: linesOf(ref('BatchLine'), ref('SyncLine')) } },
  })
  // Describes the answer to an invalid parameter, too.
  @ApiUnprocessableEntityResponse({
    description: 'With `_atomic`: the rows that were refused.',
    content: {
      [ndjson]: { schema: linesOf(ref('BatchLine')) },
      'application/json': { schema: ref('FieldErrors') },
    },
  })
  @ApiRefusals(412)
  writeTasks(
    @WriteScope() scope: Scope,
    @Parameters(BatchQuery) query: BatchQuery,
    @Req() request: Request,
  ): Reply {
    return this.batches.write(scope, request, {
      isAtomic: query._atomic === 'true',
      isDryRun: query._dry_run === 'true',
      sync: parseSync(scope, query),
    });
  }
}
