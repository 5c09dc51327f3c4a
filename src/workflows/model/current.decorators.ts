import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { type Requester } from '../../common/database/sql.js';
import { notFound } from '../../common/errors.js';
import { type AccessRequest, CurrentPrincipal, type Principal } from '../../common/request.js';
import { type Scope } from './scope.js';
import { type Workflow, type Workspace } from './workspace.js';
import { Workspaces } from './workspaces.js';

/** A request that has passed the guards. If the path names a workflow, the guards have set the scope. */
export interface ScopedRequest extends AccessRequest {
  scope?: Scope;
}

/** The scope of the request: its viewer, and the workflow in its path. The guards have set the scope. */
export const CurrentScope = createParamDecorator((_: unknown, context: ExecutionContext): Scope =>
  scopeOfRequest(context),
);

export const CurrentWorkflow = createParamDecorator(
  (_: unknown, context: ExecutionContext): Workflow => scopeOfRequest(context).workflow,
);

export function scopeOfRequest(context: ExecutionContext): Scope {
  const { scope } = context.switchToHttp().getRequest<ScopedRequest>();
  if (!scope) throw notFound();
  return scope;
}

/** The requester for work on the whole workspace, with the deadline of the request. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { principal, deadline } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  const { workspaceId, keyId } = principal;
  return { workspaceId, keyId, deadline };
});

/** The requester's compiled workspace. */
export const CurrentWorkspace = (): ParameterDecorator => CurrentPrincipal(WorkspacePipe);

@Injectable()
class WorkspacePipe implements PipeTransform<Principal, Promise<Workspace>> {
  constructor(private readonly workspaces: Workspaces) {}

  async transform({ workspaceId }: Principal): Promise<Workspace> {
    return this.workspaces.get(workspaceId);
  }
}
