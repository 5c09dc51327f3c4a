import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type RequestHandler, type Response } from 'express';
import { type Reply } from '../reply.js';

/**
 * Nest's adapter of Express, with two additions. Handlers may return a `Reply`. The server creates requests
 * and responses with Express's prototypes. Otherwise Express would replace the prototype of each object, and
 * Node.js 20 would not optimise code that uses the object (expressjs/express#5998). The slow code took more
 * than half of the time of a read.
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
    return isReply(body) ? body(response) : super.reply(response, body, statusCode);
  }
}

const isReply = (body: unknown): body is Reply => typeof body === 'function';

/** Classes with the prototypes of the Express application, so that Express does not replace prototypes. */
function messagesOf(express: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(ExpressRequest.prototype, express.request);
  Object.setPrototypeOf(ExpressResponse.prototype, express.response);
  Object.assign(express, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Combines middleware into one layer, because a layer of Express costs about as much as its middleware. */
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
