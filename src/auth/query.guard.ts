import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { isPublic } from '../ops/health.controller.js';
import { validatesQuery, refuseParameters } from '../ops/query.js';

/** Refuses query parameters wherever nobody has said that there are any: none is silently ignored. */
@Injectable()
export class QueryGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { originalUrl } = context.switchToHttp().getRequest<Request>();
    if (originalUrl.includes('?') && !this.isValidatedElsewhere(context)) refuseParameters(originalUrl);
    return true;
  }

  private isValidatedElsewhere(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    // Health checks and browsers add what they like.
    const isFree = this.reflector.getAllAndOverride<boolean>(isPublic, [handler, context.getClass()]);
    return isFree || this.reflector.get<boolean>(validatesQuery, handler);
  }
}
