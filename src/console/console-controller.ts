import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  UseFilters,
  UseGuards,
  type CanActivate,
  Inject,
  Injectable,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/ops/health.controller.js';
import { readQuery } from '../common/ops/query.js';
import { PageFilter } from './page.filter.js';
import { type PageRequest, type SignedIn } from './reader.js';
import { SessionGuard, SignInNeeded } from './session.guard.js';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../common/errors.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

/** A controller of pages that everybody may see. API keys mean nothing to it. */
export const OpenPages = (path = ''): ClassDecorator =>
  applyDecorators(
    Controller(path),
    Public(),
    ApiExcludeController(),
    UseGuards(SameOriginGuard),
    UseFilters(PageFilter),
  );

/** A controller of pages for those who are signed in. */
export const Pages = (path = ''): ClassDecorator =>
  applyDecorators(
    Controller(path),
    Public(),
    ApiExcludeController(),
    UseGuards(SameOriginGuard, SessionGuard),
    UseFilters(PageFilter),
  );

/** Who is signed in, as the guard found out. */
export const CurrentReader = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readerOf(context.switchToHttp().getRequest<PageRequest>()),
);

/** What somebody who is signed in asks for. */
export interface AskedOfPages {
  readonly reader: SignedIn;
  readonly request: PageRequest;
  readonly query: URLSearchParams;
  /** What the path says for this parameter; '' where it has none such. */
  readonly said: (parameter: string) => string;
}

/** The request as pages read it. */
export function askedIn(context: ExecutionContext): AskedOfPages {
  const request = context.switchToHttp().getRequest<PageRequest>();
  const said = (parameter: string): string => String(request.params[parameter] ?? '');
  return { reader: readerOf(request), request, query: readQuery(request.originalUrl), said };
}

/** The request of somebody who is signed in. */
export const AskedHere = createParamDecorator((_: unknown, context: ExecutionContext) => askedIn(context));

export function readerOf({ reader }: PageRequest): SignedIn {
  if (!reader) throw new SignInNeeded();
  return reader;
}

/** Refuses what would change something and does not come from a page of ours, as browsers tell by headers that no page can forge. */
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
