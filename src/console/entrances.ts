import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { Origin } from '../common/origin.js';
import { notFound } from '../common/errors.js';
import { Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { askedIn, type AskedOfPages, Pages } from './console-controller.js';
import { type PageRequest, type SignedIn } from './reader.js';

/** How the console enters a workflow: as who is signed in, whom their role binds, until the request's deadline. */
@Injectable()
export class Entrances {
  constructor(private readonly workspaces: Workspaces) {}

  /** The workflow of this path id; 404 where the reader knows of none such. */
  async enter(reader: SignedIn, request: PageRequest, slug: string): Promise<Scope> {
    const workflow = await this.workspaces.workflow(reader.workspace.id, slug, { userId: reader.user.id });
    return readerScope(reader, request, workflow);
  }
}

/** The scope of the request in a workflow that the reader knows. */
export function readerScope({ user }: SignedIn, { deadline, res }: PageRequest, workflow: Workflow): Scope {
  const requestId = res?.getHeader('X-Request-Id');
  const request = typeof requestId === 'string' ? requestId : undefined;
  return new Scope(workflow, { userId: user.id }, deadline, new Origin({ user: user.id, request }));
}

/** Enters the workflow of the path. */
@Injectable()
class EntranceGuard implements CanActivate {
  constructor(private readonly entrances: Entrances) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { reader, request, said } = askedIn(context);
    request.scope = await this.entrances.enter(reader, request, said('workflow'));
    return true;
  }
}

/** A controller of pages of the workflow that the path names `:workflow`. */
export const WorkflowPages = (path: string): ClassDecorator =>
  applyDecorators(Pages(path), UseGuards(EntranceGuard));

/** What is asked for in a workflow. */
export interface WorkflowRequest extends AskedOfPages {
  readonly scope: Scope;
}

/** The request as pages of a workflow read it. */
export const Entered = createParamDecorator((_: unknown, context: ExecutionContext): WorkflowRequest => {
  const asked = askedIn(context);
  const { scope } = asked.request;
  if (!scope) throw notFound();
  return { ...asked, scope };
});
