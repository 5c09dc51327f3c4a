import express from 'express';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type Foundations } from './app.module.js';
import { nestLogger } from './logger.js';
import { decodablePath } from './observability/decodable-path.js';
import { drain } from './observability/drain.js';
import { Health } from './observability/health.js';
import { requestLog } from './observability/request-log.js';

/** The service on its foundations, ready to listen. */
export async function createServer(foundations: Foundations): Promise<NestExpressApplication> {
  const adapter = new ExpressAdapter(createExpress());
  const app = await NestFactory.create<NestExpressApplication>(AppModule.on(foundations), adapter, {
    bodyParser: false,
    logger: nestLogger(foundations.logger),
  });
  app.use(requestLog(foundations.logger), drain(app.get(Health)), decodablePath);
  return app.init();
}

/** A path matches to the letter, and queries are read by those who know what they mean. */
function createExpress(): express.Express {
  const server = express();
  server.set('case sensitive routing', true);
  server.set('strict routing', true);
  server.set('query parser', false);
  server.set('etag', false);
  server.disable('x-powered-by');
  return server;
}
