import { HealthController, Liveness } from '../ops/health.controller.js';
import { Readiness } from '../ops/health.js';
import { Front, FrontController } from './front.controller.js';
import { type Answer, body, empty, json, type HeaderName, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { DocsController } from './docs.controller.js';

const group: OperationGroup = {
  name: 'Service',
  description: 'Requests that need no key.',
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
      description: 'Checks only this process. For supervisors, which restart a process that hangs.',
      answers: { 200: json('The process answers.', 'Liveness') },
    },
    ready: {
      id: 'readReadiness',
      summary: 'Ask whether the service is ready',
      description: 'Checks PostgreSQL and Redis, once a second at most. For load balancers.',
      answers: { 200: json('Ready.', 'Readiness'), 503: json('Not ready.', 'Readiness') },
    },
  });
  describe(FrontController, group, {
    read: {
      id: 'readFront',
      summary: 'Read what this service is',
      description: 'A browser (`Accept: text/html`) gets a page.',
      answers: { 200: withPage(json('Its name, version and links.', 'Front', [...page, 'Vary'])) },
    },
  });
  return describe(DocsController, group, {
    page: {
      id: 'readDocs',
      summary: 'Read this description as a page',
      description: 'Loads nothing from other sites. With a key, it also describes each workflow.',
      answers: { 200: body('The page.', 'text/html', { type: 'string' }, page) },
    },
    document: {
      id: 'readOpenApi',
      summary: 'Read this description',
      description: 'OpenAPI 3.1 of the whole interface, for any workflow.',
      parameters: [parameters.ifNoneMatch],
      answers: {
        200: json('OpenAPI 3.1.', ref('OpenApi'), ['ETag']),
        304: empty('Not modified.', ['ETag']),
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
