import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { type Request } from 'express';
import { type Deadline } from '../../packages/fair/deadline.js';
import { type KeyScope, type Narrowing } from './column-values.js';
import { notFound, Refusal } from './errors.js';
import { Origin } from './origin.js';

/** The key that sent a request. A key may be narrowed, and may act as a user. */
export interface Principal {
  readonly workspaceId: number;
  readonly keyId: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** The internal id of the user that the key acts as. Undefined if the key acts as itself. */
  readonly userId?: string | undefined;
  readonly narrowing?: Narrowing | undefined;
  /** Milliseconds since 1970; null if the key does not expire. */
  readonly expiresAt: number | null;
}

/** A request, with the values that middleware and guards set. */
export interface AccessRequest extends Request {
  principal?: Principal;
  /** The request's `Scope` in a workflow. Typed as `object`, because `common` does not import `Scope`. */
  scope?: object;
  deadline?: Deadline;
}

export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  return principal;
});

/** The origin for changes that belong to no workflow, such as changes of webhooks. */
export const CurrentOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin => {
  const request = context.switchToHttp().getRequest<AccessRequest>();
  const requestId = String(request.res?.getHeader('X-Request-Id'));
  return new Origin({ key: request.principal?.keyId, request: requestId });
});

export const readsByPost = Symbol('reads-by-post');

/** Allows keys of scope `read` to POST to a handler. The handler must reject writes itself. */
export const ReadsByPost = (): MethodDecorator => SetMetadata(readsByPost, true);

export const mayOnlyCreate = Symbol('may-only-create');

/** Opens a handler to keys that can only create tasks. */
export const ForCreators = (): MethodDecorator => SetMetadata(mayOnlyCreate, true);

/** Requires a key of scope `admin`. The guard of all routes has already found the key. */
@Injectable()
export class AdminGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    requireAdmin(context.switchToHttp().getRequest<AccessRequest>());
    return true;
  }
}

/** Throws (403) if the key of a request does not have scope `admin`. */
export function requireAdmin({ principal }: Pick<AccessRequest, 'principal'>): void {
  if (principal?.scope === 'admin') return;
  throw new Refusal('forbidden', principal?.narrowing ? 'Only an administrator may do this.' : needsAdmin);
}

const needsAdmin =
  'This request needs a key of scope admin. `npm run -s wts -- key create --workspace W --name N --scope admin` makes one.';
