import { Get, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { type Reply } from '../lib/reply.js';
import { OpenPages } from './console-controller.js';
import { FormBody } from './form-body.js';
import { MailSignIns } from './mail-sign-ins.js';

/** How somebody signs in by a mail. */
@OpenPages('sign-in')
export class MailSignInController {
  constructor(private readonly signIns: MailSignIns) {}

  @Post('mail')
  async ask(@Req() request: Request, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.signIns.ask(request, form.get('email') ?? '');
  }

  @Get('code')
  page(@Req() request: Request): Reply {
    return this.signIns.page(request);
  }

  @Post('code')
  async use(@Req() request: Request, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.signIns.use(request, form.get('code') ?? '');
  }
}
