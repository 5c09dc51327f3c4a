import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from '../lib/errors.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { type AccessRequest } from './api-key.guard.js';
import { type Principal } from './api-keys.js';
import { Workspaces } from '../workspace/workspaces.js';

/** The workflow of the path, as the guard found it. */
export const CurrentWorkflow = createParamDecorator((_: unknown, context: ExecutionContext): Workflow => {
  const { workflow } = context.switchToHttp().getRequest<AccessRequest>();
  if (!workflow) throw notFound();
  return workflow;
});

/** Who the request comes from, as the guard found out. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  return principal;
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
