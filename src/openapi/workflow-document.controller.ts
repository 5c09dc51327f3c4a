import { Controller, Get, Req, Res } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { CurrentWorkflow, CurrentWorkspace } from '../auth/current.decorators.js';
import { sendDocument } from '../http/reply.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { Documents } from './documents.js';

/** The description of the interface as one workflow has it, for generators of clients. */
@Controller('api/v1/workflows/:workflow_id/openapi.json')
export class WorkflowDocumentController {
  constructor(private readonly documents: Documents) {}

  @Get()
  async read(
    @CurrentWorkspace() workspace: Workspace,
    @CurrentWorkflow() workflow: Workflow,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendDocument(request, response, await this.documents.ofWorkflow(workspace, workflow));
  }
}
