import { IsIn, IsOptional } from 'class-validator';
import { Controller, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { CurrentWorkflow } from '../../auth/current.decorators.js';
import { Parameters } from '../../http/query.decorator.js';
import { type Reply } from '../../lib/reply.js';
import { type Workflow } from '../../workspace/workspace.js';
import { BatchesService } from './batch.service.js';

const flag = { message: 'is not true or false' };

/** How a batch is to be written. */
class BatchQuery {
  static readonly names = ['_atomic', '_dry_run'];

  /** Whether it is all or nothing. */
  @IsOptional()
  @IsIn(['true', 'false'], flag)
  _atomic?: string;

  /** Whether nothing is written, but told what would be. */
  @IsOptional()
  @IsIn(['true', 'false'], flag)
  _dry_run?: string;
}

/** Many tasks at once. */
@Controller('api/v1/workflows/:workflow_id/tasks/batch')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  write(
    @CurrentWorkflow() workflow: Workflow,
    @Parameters(BatchQuery) { _atomic, _dry_run }: BatchQuery,
    @Req() request: Request,
  ): Reply {
    return this.batches.write(workflow, request, {
      isAtomic: _atomic === 'true',
      isDryRun: _dry_run === 'true',
    });
  }
}
