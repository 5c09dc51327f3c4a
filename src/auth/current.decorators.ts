import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { Origin } from '../database/origin.js';
import { notFound } from '../lib/errors.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { type AccessRequest } from './api-key.guard.js';
import { type Principal } from './api-keys.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type Requester } from '../database/sql.js';
import { type Scope } from '../workspace/scope.js';

/** The workflow of the path, and who asks for it, as the guards found them. */
export const CurrentScope = createParamDecorator((_: unknown, context: ExecutionContext): Scope =>
  scopeOfRequest(context),
);

/** The workflow of the path. */
export const CurrentWorkflow = createParamDecorator(
  (_: unknown, context: ExecutionContext): Workflow => scopeOfRequest(context).workflow,
);

/** The scope of a request, as the guards found it. */
export function scopeOfRequest(context: ExecutionContext): Scope {
  const { scope } = context.switchToHttp().getRequest<AccessRequest>();
  if (!scope) throw notFound();
  return scope;
}

/** Who the request comes from, as the guard found out. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  return principal;
});

/** Where changes come from that the request makes in no workflow; its answer names their last event. */
export const CurrentOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin => {
  const request = context.switchToHttp().getRequest<AccessRequest>();
  const requestId = String(request.res?.getHeader('X-Request-Id'));
  return (request.origin ??= new Origin({ key: request.principal?.keyId, request: requestId }));
});

/** Who asks for work on the whole workspace, and until when. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { principal, deadline } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  const { workspaceId, keyId } = principal;
  return { workspaceId, keyId, deadline };
});

/** The workspace of who is asking, as its definition in force has it. */
export const CurrentWorkspace = (): ParameterDecorator => CurrentPrincipal(WorkspacePipe);

/** The compiled workspace of who is asking. */
@Injectable()
class WorkspacePipe implements PipeTransform<Principal, Promise<Workspace>> {
  constructor(private readonly workspaces: Workspaces) {}

  async transform({ workspaceId }: Principal): Promise<Workspace> {
    return this.workspaces.get(workspaceId);
  }
}
