import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { notFound } from '../lib/errors.js';
import { requested } from '../workspace/requested.js';
import { type Workflow } from '../workspace/workspace.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type AccessRequest } from './api-key.guard.js';

/** Finds the workflow of the path in the key's own workspace; one of another workspace is 404, as one that does not exist. */
@Injectable()
export class WorkflowGuard implements CanActivate {
  constructor(private readonly workspaces: Workspaces) {}

  /** A workflow that is remembered is not waited for. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const slug = request.params['workflow_id'];
    if (typeof slug !== 'string') return true;
    if (!request.principal) throw notFound();

    const { workspaceId } = request.principal;
    const known = this.workspaces.known(workspaceId, slug);
    if (known) return enter(request, known);
    return this.workspaces.workflow(workspaceId, slug).then((workflow) => enter(request, workflow));
  }
}

function enter(request: AccessRequest, workflow: Workflow): boolean {
  const { principal, deadline } = request;
  const requestId = request.res?.getHeader('X-Request-Id');
  const asked = {
    viewer: principal,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    deadline,
  };
  request.workflow = requested(workflow, asked);
  return true;
}
