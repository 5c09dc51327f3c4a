import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../common/errors.js';
import { ownOrigin } from '../common/public-address.js';

/**
 * Refuses pages of origins other than this service's and those in WTS_CORS_ORIGINS. Browsers send the true origin
 * even if the page's host name resolves to this machine (DNS rebinding).
 */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { origin } = request.headers;
    if (origin === undefined || this.isKnown(origin, ownOrigin(request))) return true;
    throw new Refusal('forbidden', 'Pages of this origin cannot use the service.');
  }

  private isKnown(origin: string, own: string | undefined): boolean {
    const { corsOrigins, publicUrl } = this.config;
    const ours = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    return [...corsOrigins, ours, own?.toLowerCase()].includes(origin);
  }
}
