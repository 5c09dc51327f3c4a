import createApplication, { type Express } from 'express';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type Foundations } from './app.module.js';
import { nestLogger } from './logger.js';
import { decodablePath } from './observability/decodable-path.js';
import { drain } from './observability/drain.js';
import { Health } from './observability/health.js';
import { answerRawRequests } from './observability/raw-requests.js';
import { requestLog } from './observability/request-log.js';
import { Documents } from './openapi/documents.js';

/** The service on its foundations, ready to listen. */
export async function createServer(foundations: Foundations): Promise<NestExpressApplication> {
  const express = createExpress();
  const adapter = new ExpressAdapter(express);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.on(foundations), adapter, {
    bodyParser: false,
    logger: nestLogger(foundations.logger),
  });
  app.use(requestLog(foundations.logger), drain(app.get(Health)), decodablePath);
  app.get(Documents).describe(app);
  const server = app.getHttpServer();
  server.requestTimeout = requestTimeoutMs;
  answerRawRequests(server, express);
  return app.init();
}

/** From a request's first byte to its last. */
const requestTimeoutMs = 60_000;

/** A path matches to the letter, and queries are read by those who know what they mean. */
function createExpress(): Express {
  const server = createApplication();
  server.set('case sensitive routing', true);
  server.set('strict routing', true);
  server.set('query parser', false);
  server.set('etag', false);
  server.disable('x-powered-by');
  return server;
}
