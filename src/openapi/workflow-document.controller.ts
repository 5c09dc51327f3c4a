import { Controller, Get } from '@nestjs/common';
import { CurrentScope, CurrentWorkspace } from '../auth/current.decorators.js';
import { documentReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { type Workspace } from '../workspace/workspace.js';
import { Documents } from './documents.js';
import { type Scope } from '../workspace/scope.js';

/** The description of the interface as one workflow has it, for generators of clients. */
@Controller('api/v1/workflows/:workflow_id/openapi.json')
export class WorkflowDocumentController {
  constructor(private readonly documents: Documents) {}

  @Get()
  async read(@CurrentWorkspace() workspace: Workspace, @CurrentScope() scope: Scope): Promise<Reply> {
    return documentReply(await this.documents.ofWorkflow(workspace, scope));
  }
}
