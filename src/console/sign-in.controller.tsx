import { Get, Param, Post, Req } from '@nestjs/common';
import { type Request } from 'express';
import { type Reply } from '../lib/reply.js';
import { AskedPage } from './asked-page.js';
import { OpenPages } from './console-controller.js';
import { FormBody } from './form-body.js';
import { pageReply } from './page.js';
import { SignInPage } from './pages/sign-in-page.js';
import { anybody } from './reader.js';
import { SignIns } from './sign-ins.js';

/** How somebody comes to be signed in. */
@OpenPages('sign-in')
export class SignInController {
  constructor(
    private readonly signIns: SignIns,
    private readonly asked: AskedPage,
  ) {}

  @Get()
  page(@Req() request: Request): Reply {
    return pageReply(<SignInPage to={anybody(request)} ways={this.asked.waysFor(request)} />);
  }

  @Get(':token')
  async show(@Req() request: Request, @Param('token') token: string): Promise<Reply> {
    return this.signIns.show(request, token);
  }

  @Post(':token')
  async use(
    @Req() request: Request,
    @Param('token') token: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.signIns.use(request, token, form.get('asked') ?? '/');
  }
}
