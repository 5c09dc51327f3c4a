import {
  applyDecorators,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type Type,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/ops/health.controller.js';
import { readQuery } from '../common/ops/query.js';
import { PageFilter } from './page.filter.js';
import { type PageRequest, type SignedIn } from './reader.js';
import { SessionGuard, SignInNeeded } from './session.guard.js';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal, notFound } from '../common/errors.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { Origin } from '../common/origin.js';
import { Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';

const controllerOfPages = (path: string, ...guards: readonly Type<CanActivate>[]): ClassDecorator =>
  applyDecorators(
    Controller(path),
    Public(),
    ApiExcludeController(),
    UseGuards(SameOriginGuard, ...guards),
    UseFilters(PageFilter),
  );

/** A controller of pages that need no sign-in. API keys have no effect on these pages. */
export const OpenPages = (path = ''): ClassDecorator => controllerOfPages(path);

export const Pages = (path = ''): ClassDecorator => controllerOfPages(path, SessionGuard);

export const CurrentReader = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readerOf(context.switchToHttp().getRequest<PageRequest>()),
);

export interface AskedOfPages {
  readonly reader: SignedIn;
  readonly request: PageRequest;
  readonly query: URLSearchParams;
  /** Returns the value of a path parameter, or '' if the path lacks it. */
  readonly said: (parameter: string) => string;
}

export function askedIn(context: ExecutionContext): AskedOfPages {
  const request = context.switchToHttp().getRequest<PageRequest>();
  const said = (parameter: string): string => String(request.params[parameter] ?? '');
  return { reader: readerOf(request), request, query: readQuery(request.originalUrl), said };
}

export const AskedHere = createParamDecorator((_: unknown, context: ExecutionContext) => askedIn(context));

export function readerOf({ reader }: PageRequest): SignedIn {
  if (!reader) throw new SignInNeeded();
  return reader;
}

/** Allows writes only from pages of this service. Checks headers that pages cannot forge. */
@Injectable()
class SameOriginGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.method === 'GET' || request.method === 'HEAD' || this.isOwn(request)) return true;
    throw new Refusal('forbidden', 'The form does not come from a page of this service.');
  }

  private isOwn({ headers }: Request): boolean {
    const { origin, host } = headers;
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const from = readUrl(origin ?? '');
    if (!from) return false;
    const { publicUrl } = this.config;
    return from.host === host || (publicUrl !== undefined && new URL(publicUrl).origin === origin);
  }
}

/** The scope of a workflow for the signed-in user, with the user's permissions and the request's deadline. */
export function readerScope({ user }: SignedIn, { deadline, res }: PageRequest, workflow: Workflow): Scope {
  const requestId = res?.getHeader('X-Request-Id');
  const request = typeof requestId === 'string' ? requestId : undefined;
  return new Scope(workflow, { userId: user.id }, deadline, new Origin({ user: user.id, request }));
}

@Injectable()
class EntranceGuard implements CanActivate {
  constructor(private readonly workspaces: Workspaces) {}

  /** Finds the workflow in the path. Throws 404 if there is none, or if the reader sees none of its tasks. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { reader, request, said } = askedIn(context);
    const { workspace, user } = reader;
    const workflow = await this.workspaces.workflow(workspace.id, said('workflow'), { userId: user.id });
    request.scope = readerScope(reader, request, workflow);
    return true;
  }
}

export const WorkflowPages = (path: string): ClassDecorator =>
  applyDecorators(Pages(path), UseGuards(EntranceGuard));

export interface WorkflowRequest extends AskedOfPages {
  readonly scope: Scope;
}

export const Entered = createParamDecorator((_: unknown, context: ExecutionContext): WorkflowRequest => {
  const asked = askedIn(context);
  const { scope } = asked.request;
  if (!scope) throw notFound();
  return { ...asked, scope };
});
