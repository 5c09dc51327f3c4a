import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { notFound } from '../errors/errors.js';
import { type Workflow } from '../workflows/workspace.js';
import { type AccessRequest } from './access-request.js';
import { type Principal } from './principal.js';
import { WorkspacePipe } from './workspace.pipe.js';

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
