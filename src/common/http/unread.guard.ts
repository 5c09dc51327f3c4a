import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { FieldErrors } from '../field-errors.js';
import { isPublic } from '../ops/health.controller.js';
import { readsBody, refuseParameters, validatesQuery } from '../ops/query.js';
import { anyType, Bodies } from './bodies.js';
import { parseJson } from './read-body.js';

/** Refuses a query or body that a route does not read. Otherwise a write might ignore its `dry_run`. */
@Injectable()
export class UnreadGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly bodies: Bodies,
  ) {}

  /** Synchronous unless there is a body to refuse. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { originalUrl, method } = request;
    if (originalUrl.includes('?') && !this.isValidatedElsewhere(context)) refuseParameters(originalUrl);
    if (method !== 'GET' && method !== 'HEAD' && originalUrl.startsWith('/api/v1/') && hasBody(request))
      if (!this.reflector.get<boolean>(readsBody, context.getHandler())) return this.refuseBody(request);
    return true;
  }

  private async refuseBody(request: Request): Promise<boolean> {
    const bytes = await this.bodies.read(request, 1_000_000, anyType);
    const body: unknown = bytes.length === 0 ? new Map() : parseJson(bytes);
    const errors = new FieldErrors();
    const names = body instanceof Map ? [...body.keys()].map(String) : ['base'];
    for (const name of names) errors.add(name, 'is not a key here: the request takes no body');
    errors.throwIfAny();
    return true;
  }

  private isValidatedElsewhere(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    // On public routes, extra parameters are allowed, because health checks and browsers may add some.
    const isFree = this.reflector.getAllAndOverride<boolean>(isPublic, [handler, context.getClass()]);
    return isFree || this.reflector.get<boolean>(validatesQuery, handler);
  }
}

const hasBody = ({ headers }: Request): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
