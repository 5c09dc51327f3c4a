import { HealthController, Liveness } from '../ops/health.controller.js';
import { Readiness } from '../ops/health.js';
import { Front, FrontController } from './front.controller.js';
import { type Answer, body, empty, json, type HeaderName, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { DocsController } from './docs.controller.js';

const group: OperationGroup = {
  name: 'Service',
  description: 'What is to be known without a key.',
  isPublic: true,
  models: [Readiness, Front, Liveness],
  schemas: {
    OpenApi: { type: 'object', description: 'A document of OpenAPI 3.1.', additionalProperties: true },
  },
};
const page: readonly HeaderName[] = ['Content-Security-Policy', 'X-Content-Type-Options'];

/** An answer that browsers get as a page. */
const withPage = (answer: Answer): Answer => ({
  ...answer,
  content: { ...answer.content, 'text/html': { schema: { type: 'string' } } },
});

export function describeService(): OperationGroup {
  describe(HealthController, group, {
    live: {
      id: 'readLiveness',
      summary: 'Ask whether the process answers',
      description: 'Asks nobody: for who restarts what hangs.',
      answers: { 200: json('It does.', 'Liveness') },
    },
    ready: {
      id: 'readReadiness',
      summary: 'Ask whether the service is ready',
      description: 'Asks PostgreSQL and Redis, once a second at most: for load balancers.',
      answers: { 200: json('It is.', 'Readiness'), 503: json('It is not.', 'Readiness') },
    },
  });
  describe(FrontController, group, {
    read: {
      id: 'readFront',
      summary: 'Ask what this is',
      description: 'For a browser (`Accept: text/html`) it is a page.',
      answers: { 200: withPage(json('What this is, and where to go on.', 'Front', [...page, 'Vary'])) },
    },
  });
  return describe(DocsController, group, {
    page: {
      id: 'readDocs',
      summary: 'Read this description as a page',
      description: 'Needs nothing from elsewhere. With a key it also shows the description of each workflow.',
      answers: { 200: body('The page.', 'text/html', { type: 'string' }, page) },
    },
    document: {
      id: 'readOpenApi',
      summary: 'Read this description',
      description: 'OpenAPI 3.1 of the whole interface, whatever the workflows are.',
      parameters: [parameters.ifNoneMatch],
      answers: {
        200: json('OpenAPI 3.1.', ref('OpenApi'), ['ETag']),
        304: empty('The client has it.', ['ETag']),
      },
    },
    asset: {
      id: 'readDocsAsset',
      summary: 'Read a file of the page',
      description: 'A style sheet or a script.',
      answers: { 200: body('The file.', '*/*', {}, ['Cache-Control', 'X-Content-Type-Options']) },
      refusals: ['404'],
    },
  });
}
