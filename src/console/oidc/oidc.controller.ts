import { Get, Req } from '@nestjs/common';
import { type Request } from 'express';
import { type Reply } from '../../lib/reply.js';
import { OpenPages } from '../console-controller.js';
import { OidcSignIns } from './oidc-sign-ins.js';

/** Signing in by an identity provider; nothing is here where none is set up. */
@OpenPages('sign-in/oidc')
export class OidcController {
  constructor(private readonly signIns: OidcSignIns) {}

  @Get()
  async begin(@Req() request: Request): Promise<Reply> {
    return this.signIns.begin(request);
  }

  @Get('callback')
  async finish(@Req() request: Request): Promise<Reply> {
    return this.signIns.finish(request);
  }
}
