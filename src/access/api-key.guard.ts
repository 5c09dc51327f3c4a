import { type AccessRequest, mayOnlyCreate, type Principal, readsByPost } from '../common/request.js';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { Refusal } from '../common/errors.js';
import { KnownKeys } from './api-keys.js';
import { isPublic, isPublicOutsideApi } from '../common/ops/health.controller.js';

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: KnownKeys,
  ) {}

  /** Synchronous unless the key must be looked up. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const key = bearerOf(request);
    const found = key === undefined ? undefined : this.keys.find(key);
    return found instanceof Promise
      ? found.then((principal) => this.admit(context, request, principal))
      : this.admit(context, request, found);
  }

  private admit(
    context: ExecutionContext,
    request: AccessRequest,
    principal: Principal | undefined,
  ): boolean {
    const has = (mark: symbol): boolean => this.reflector.get(mark, context.getHandler()) === true;
    if (!principal) {
      if (has(isPublicOutsideApi) && outsideApi.test(request.originalUrl)) return true;
      throw unauthenticated();
    }
    if (principal.narrowing?.creates && !has(mayOnlyCreate)) throw createsOnly();
    if (!reaches(principal, request.method) && !has(readsByPost)) throw mayOnlyRead();
    request.principal = principal;
    return true;
  }

  private isPublic(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<boolean | undefined>(isPublic, targets) === true;
  }
}

/** Matches paths outside the API. Must not match an API path in any spelling. */
const outsideApi = /^\/(?![./]*api(?:[/?;#]|$))/i;

export const createsOnly = (): Refusal => new Refusal('forbidden', 'This key can only create tasks.');

export const mayOnlyRead = (): Refusal => new Refusal('forbidden', 'This key may only read.');

const unauthenticated = (): Refusal =>
  new Refusal(
    'unauthenticated',
    'A valid API key is required: send it as "Authorization: Bearer <API_KEY>". `npm run -s wts -- key create --workspace W --name N` makes one.',
    { 'WWW-Authenticate': 'Bearer' },
  );

/** The bearer token of a request, if the request has exactly one `Authorization` header. */
function bearerOf({ headers, rawHeaders }: Pick<Request, 'headers' | 'rawHeaders'>): string | undefined {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'authorization') count++;
  return count === 1 ? /^Bearer +([^ ]+)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
}

function reaches({ scope }: Principal, method: string): boolean {
  return scope !== 'read' || method === 'GET' || method === 'HEAD';
}
