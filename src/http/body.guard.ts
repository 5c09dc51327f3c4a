import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { FieldErrors } from '../lib/field-errors.js';
import { readsBody } from '../ops/query.js';
import { BODIES, type BodyRoom } from './body-room.js';
import { anyType, parseJson, readBody } from './read-body.js';

/** Rejects a body where none is read: otherwise a request with `dry_run` would be carried out. */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(BODIES) private readonly room: BodyRoom,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { method, headers, originalUrl } = request;
    const isSent = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
    if (!isSent || method === 'GET' || method === 'HEAD' || !originalUrl.startsWith('/api/v1/')) return true;
    return this.reflector.get<boolean>(readsBody, context.getHandler()) || this.refuseKeys(request);
  }

  private async refuseKeys(request: Request): Promise<true> {
    const bytes = await readBody(request, 1_000_000, this.room, anyType);
    const body = bytes.length === 0 ? null : parseJson(bytes);
    const errors = new FieldErrors();
    const object: JsonObject = body instanceof Map ? body : new Map(body === null ? [] : [['base', body]]);
    for (const name of object.keys()) errors.add(name, 'is not a key here: the request takes no body');
    errors.throwIfAny();
    return true;
  }
}
