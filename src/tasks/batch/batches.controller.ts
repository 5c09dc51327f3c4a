import { Controller, Post, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow } from '../../access/current.decorators.js';
import { sendLines } from '../../answers/send.js';
import { Parameters } from '../../payloads/parameters.decorator.js';
import { type Workflow } from '../../workflows/workspace.js';
import { BatchQuery } from './batch-query.dto.js';
import { BatchesService } from './batches.service.js';

/** Many tasks at once. */
@Controller('api/v1/workflows/:workflow_id/tasks/batch')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Post()
  async write(
    @CurrentWorkflow() workflow: Workflow,
    @Parameters(BatchQuery) { _atomic, _dry_run }: BatchQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const options = { isAtomic: _atomic === 'true', isDryRun: _dry_run === 'true' };
    await this.batches.use(workflow, request, options, ({ status, lines }) =>
      sendLines(response, status, lines),
    );
  }
}
