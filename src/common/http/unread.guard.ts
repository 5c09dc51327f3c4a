import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { isPublic } from '../ops/health.controller.js';
import { refuseParameters, validatesQuery } from '../ops/query.js';

/** Rejects query parameters that a route does not read: otherwise, a request with `dry_run` would be carried out. */
@Injectable()
export class UnreadGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { originalUrl } = context.switchToHttp().getRequest<Request>();
    if (originalUrl.includes('?') && !this.isValidatedElsewhere(context)) refuseParameters(originalUrl);
    return true;
  }

  private isValidatedElsewhere(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    // Health checks and browsers may add parameters of their own.
    const isFree = this.reflector.getAllAndOverride<boolean>(isPublic, [handler, context.getClass()]);
    return isFree || this.reflector.get<boolean>(validatesQuery, handler);
  }
}
