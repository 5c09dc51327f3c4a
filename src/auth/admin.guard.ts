import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Refusal } from '../lib/errors.js';
import { type AccessRequest } from './api-key.guard.js';

/** Denies what only a key of scope `admin` may do; the guards of all routes have found the key. */
@Injectable()
export class AdminGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { principal } = context.switchToHttp().getRequest<AccessRequest>();
    if (principal?.scope !== 'admin') throw new Refusal('forbidden', needsAdmin);
    return true;
  }
}

const needsAdmin =
  'This takes a key of scope admin. `npm run -s wts -- key create --workspace W --name N --scope admin` makes one.';
