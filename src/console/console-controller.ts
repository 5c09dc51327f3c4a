import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../ops/health.controller.js';
import { PageFilter } from './page.filter.js';
import { type PageRequest, type SignedIn } from './reader.js';
import { SameOriginGuard } from './same-origin.guard.js';
import { SessionGuard, SignInNeeded } from './session.guard.js';

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

export function readerOf({ reader }: PageRequest): SignedIn {
  if (!reader) throw new SignInNeeded();
  return reader;
}
