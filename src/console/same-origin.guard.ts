import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../lib/errors.js';
import { readUrl } from '../../packages/safe-http/read-url.js';

/** Refuses what would change something and does not come from a page of ours, as browsers tell by headers that no page can forge. */
@Injectable()
export class SameOriginGuard implements CanActivate {
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
