import { Controller, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { ForCreators } from '../../auth/api-key.guard.js';
import { ReadsBody } from '../../ops/query.js';
import { Parameters } from '../../http/query.decorator.js';
import { type Reply } from '../../lib/reply.js';
import { parseSync } from './sync.js';
import { BatchQuery } from './batch.dto.js';
import { BatchesService } from './batch.service.js';
import { WriteScope } from '../../http/silence.js';
import { type Scope } from '../../workspace/scope.js';

/** Many tasks at once. */
@Controller('api/v1/workflows/:workflow_id/tasks/batch')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  @ForCreators()
  @ReadsBody
  write(
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
