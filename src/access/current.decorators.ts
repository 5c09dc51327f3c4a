import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { Origin } from '../common/origin.js';
import { notFound } from '../common/errors.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { type AccessRequest } from './api-key.guard.js';
import { type Principal } from './api-keys.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { type Requester } from '../common/database/sql.js';
import { type Scope } from '../workflows/model/scope.js';

/** The scope of the request: the workflow in the path and the viewer, as found by the guards. */
export const CurrentScope = createParamDecorator((_: unknown, context: ExecutionContext): Scope =>
  scopeOfRequest(context),
);

/** The workflow in the path. */
export const CurrentWorkflow = createParamDecorator(
  (_: unknown, context: ExecutionContext): Workflow => scopeOfRequest(context).workflow,
);

/** The scope of a request, as found by the guards. */
export function scopeOfRequest(context: ExecutionContext): Scope {
  const { scope } = context.switchToHttp().getRequest<AccessRequest>();
  if (!scope) throw notFound();
  return scope;
}

/** The sender of the request, as found by the guard. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  return principal;
});

/** The origin of changes outside of workflows; the answer names their last event. */
export const CurrentOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin => {
  const request = context.switchToHttp().getRequest<AccessRequest>();
  const requestId = String(request.res?.getHeader('X-Request-Id'));
  return (request.origin ??= new Origin({ key: request.principal?.keyId, request: requestId }));
});

/** The requester for work on the whole workspace, with the deadline. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { principal, deadline } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  const { workspaceId, keyId } = principal;
  return { workspaceId, keyId, deadline };
});

/** The requester's workspace, with the definition in force. */
export const CurrentWorkspace = (): ParameterDecorator => CurrentPrincipal(WorkspacePipe);

/** Looks up the requester's compiled workspace. */
@Injectable()
class WorkspacePipe implements PipeTransform<Principal, Promise<Workspace>> {
  constructor(private readonly workspaces: Workspaces) {}

  async transform({ workspaceId }: Principal): Promise<Workspace> {
    return this.workspaces.get(workspaceId);
  }
}
