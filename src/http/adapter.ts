import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express } from 'express';

/**
 * Nest's adapter of Express, whose server creates requests and responses with the prototypes that Express wants them to
 * have. Otherwise Express exchanges the prototype of each one, and Node.js 20 runs whatever touches such an object
 * without its optimisations (expressjs/express#5998): that was a third of the time of a read.
 */
export class Adapter extends ExpressAdapter {
  constructor(
    express: Express,
    private readonly server: ServerOptions = {},
  ) {
    super(express);
  }

  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    this.setHttpServer(createServer({ ...this.server, ...messagesOf(express) }, express));
  }
}

/** Classes whose prototypes are those that the application sets: to set them again changes nothing. */
function messagesOf(express: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(ExpressRequest.prototype, express.request);
  Object.setPrototypeOf(ExpressResponse.prototype, express.response);
  Object.assign(express, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
