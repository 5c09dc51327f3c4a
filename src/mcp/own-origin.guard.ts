import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../lib/errors.js';
import { ownOrigin } from '../lib/public-address.js';

/**
 * Denies pages of other origins than ours and those that WTS_CORS_ORIGINS names: a browser says where a request comes
 * from, also where the name of a strange page has been bound to this machine.
 */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { origin } = request.headers;
    if (origin === undefined || this.isKnown(origin, ownOrigin(request))) return true;
    throw new Refusal('forbidden', 'Pages of this origin may not use the service.');
  }

  private isKnown(origin: string, own: string | undefined): boolean {
    const { corsOrigins, publicUrl } = this.config;
    const ours = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    return [...corsOrigins, ours, own?.toLowerCase()].includes(origin);
  }
}
