import { type ScopedRequest } from '../../workflows/model/current.decorators.js';
import cluster from 'node:cluster';
import createApplication, { type Express, type RequestHandler } from 'express';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type Foundations } from '../../app.module.js';
import { type Config } from '../../config.js';
import { Adapter, inOneLayer } from '../../common/http/adapter.js';
import { nestLogger } from '../../common/logger.js';
import { inTurn, limitConnections } from '../../common/ops/connections.js';
import { requestDeadline } from '../../common/ops/request-deadline.js';
import { readAddress, drain, healthOnly, allowedRequest, answerRawRequests } from '../../common/ops/edge.js';
import { Health } from '../../common/ops/health.js';
import { Metrics } from '../../common/ops/metrics.js';
import { MetricsServer } from '../../common/ops/metrics-server.js';
import { requestLog, type RequestPlace } from '../../common/ops/request-log.js';
import { Documents } from '../../workflows/docs/documents.js';
import { Workspaces } from '../../workflows/model/workspaces.js';

export async function createServer(foundations: Foundations): Promise<NestExpressApplication> {
  const express = createExpress(foundations.config);
  // The service itself refuses requests without a Host header.
  const adapter = new Adapter(express, { requireHostHeader: false });
  const app = await NestFactory.create<NestExpressApplication>(await AppModule.on(foundations), adapter, {
    bodyParser: false,
    logger: nestLogger(foundations.logger),
    // If the start fails, Nest would by default end the process without closing the opened resources.
    abortOnError: false,
  });
  app.use(inOneLayer(stepsOf(app, foundations)));
  app.get(Documents).describe(app);
  limitConnections(app.getHttpServer());
  answerRawRequests(app.getHttpServer(), express);
  try {
    await app.init();
    await showMetrics(app, foundations.config);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Starts the metrics server. In a cluster, sends the metrics to the parent process, which has the server. */
async function showMetrics(app: NestExpressApplication, { metricsPort }: Config): Promise<void> {
  if (metricsPort === undefined) return;
  const metrics = app.get(Metrics);
  metrics.measureProcess();
  if (cluster.isWorker) metrics.tellFirstProcess();
  else await app.get(MetricsServer).listen();
}

function stepsOf(app: NestExpressApplication, { config, logger }: Foundations): readonly RequestHandler[] {
  const metrics = config.metricsPort === undefined ? undefined : app.get(Metrics);
  return [
    inTurn,
    requestLog({ logger, metrics, placeOf: placesBy(app.get(Workspaces)) }),
    drain(app.get(Health)),
    allowedRequest,
    requestDeadline(config.requestMs),
    readAddress,
    ...(config.role === 'worker' ? [healthOnly] : []),
  ];
}

interface AnyRequest extends ScopedRequest {
  readonly reader?: { readonly session: { readonly workspaceId: number } };
}

function placesBy(workspaces: Workspaces) {
  return ({ scope, principal, reader }: AnyRequest): RequestPlace => {
    const id = scope?.workspaceId ?? principal?.workspaceId ?? reader?.session.workspaceId;
    return { workspace: workspaces.knownSlug(id), workflow: scope?.workflow.slug ?? null };
  };
}

/** Creates an Express app with exact, case-sensitive paths. Each handler parses its own query. */
function createExpress({ trustedProxies, serviceName }: Config): Express {
  const server = createApplication();
  server.set('case sensitive routing', true);
  server.set('strict routing', true);
  server.set('query parser', false);
  server.set('etag', false);
  // X-Forwarded-For counts only if a trusted proxy sent it.
  server.set('trust proxy', trustedProxies);
  server.set('service name', serviceName);
  server.disable('x-powered-by');
  return server;
}
