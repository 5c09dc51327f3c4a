import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type RequestHandler, type Response } from 'express';
import { Reply } from '../reply.js';

/**
 * Nest's adapter of Express, with two additions. Handlers may return a `Reply`, which sends itself. And the server
 * creates requests and responses with the prototypes that Express sets: otherwise Express replaces the prototype of
 * each one, and Node.js 20 runs whatever touches such an object without its optimisations (expressjs/express#5998),
 * which was more than half of the time of a read.
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

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    return body instanceof Reply ? body.send(response) : super.reply(response, body, statusCode);
  }
}

/** Classes with the prototypes that the application sets, so that Express changes nothing. */
function messagesOf(express: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(ExpressRequest.prototype, express.request);
  Object.setPrototypeOf(ExpressResponse.prototype, express.response);
  Object.assign(express, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Combines middleware, because passing a layer of Express costs about as much as the middleware itself. */
export function inOneLayer(steps: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const pass = (index: number): void => {
      const step = steps[index];
      if (!step) {
        next();
        return;
      }
      try {
        void step(request, response, (error?: unknown) => {
          if (error === undefined) pass(index + 1);
          else next(error);
        });
      } catch (error) {
        next(error);
      }
    };
    pass(0);
  };
}
