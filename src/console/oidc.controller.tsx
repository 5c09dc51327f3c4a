import { Get, Req } from '@nestjs/common';
import { type Request } from 'express';
import { OidcSignIns } from '../access/oidc-sign-ins.js';
import { type Transaction } from '../access/oidc.js';
import { type Reply } from '../common/reply.js';
import { OpenPages } from './console-controller.js';
import { Cookies } from './cookies.js';
import { seeOther } from './page.js';
import { clientOf, letIn } from './sign-in.controller.js';

/** How people sign in by the identity provider of the operator. */
@OpenPages('sign-in/oidc')
export class OidcController {
  constructor(
    private readonly signIns: OidcSignIns,
    private readonly cookies: Cookies,
  ) {}

  /** Sends the browser to the provider. */
  @Get()
  async begin(@Req() request: Request): Promise<Reply> {
    const { url, transaction } = await this.signIns.begin();
    const { state, nonce, verifier } = transaction;
    this.cookies.oidc.set(request, [state, nonce, verifier].join('.'));
    return seeOther(url.href);
  }

  /** Takes the browser back from the provider. */
  @Get('callback')
  async finish(@Req() request: Request): Promise<Reply> {
    const transaction = transactionIn(this.cookies.oidc.read(request));
    this.cookies.oidc.clear(request);
    const { search } = new URL(request.originalUrl, 'http://any.invalid');
    return letIn(this.cookies, request, await this.signIns.finish(search, transaction, clientOf(request)));
  }
}

function transactionIn(cookie = ''): Transaction | undefined {
  const [state = '', nonce = '', verifier = ''] = cookie.split('.');
  return state === '' || nonce === '' || verifier === '' ? undefined : { state, nonce, verifier };
}
