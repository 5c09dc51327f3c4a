import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { notFound } from '../lib/errors.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type AccessRequest } from './api-key.guard.js';

/** Finds the workflow of the path in the key's own workspace; one of another workspace is 404, as one that does not exist. */
@Injectable()
export class WorkflowGuard implements CanActivate {
  constructor(private readonly workspaces: Workspaces) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const slug = request.params['workflow_id'];
    if (typeof slug !== 'string') return true;
    if (!request.principal) throw notFound();

    const { workspaceId, keyId } = request.principal;
    const workflow = await this.workspaces.workflow(workspaceId, slug);
    request.workflow = { ...workflow, keyId, deadline: request.deadline };
    return true;
  }
}
