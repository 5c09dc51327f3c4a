import { HealthController } from '../ops/health.controller.js';
import { body, empty, json, type HeaderName, parameters, ref } from './vocabulary.js';
import { describe, type Group } from './operation.js';
import { DocsController } from './docs.controller.js';

const group: Group = { name: 'Service', description: 'What is to be known without a key.', isPublic: true };
const page: readonly HeaderName[] = ['Content-Security-Policy', 'X-Content-Type-Options'];

export function describeService(): Group {
  describe(HealthController, group, {
    live: {
      id: 'readLiveness',
      summary: 'Ask whether the process answers',
      answers: { 200: json('It does.', 'Liveness') },
    },
    ready: {
      id: 'readReadiness',
      summary: 'Ask whether the service is ready',
      answers: { 200: json('It is.', 'Readiness'), 503: json('It is not.', 'Readiness') },
    },
  });
  return describe(DocsController, group, {
    page: {
      id: 'readDocs',
      summary: 'Read this description as a page',
      answers: { 200: body('The page.', 'text/html', { type: 'string' }, page) },
    },
    document: {
      id: 'readOpenApi',
      summary: 'Read this description',
      parameters: [parameters.ifNoneMatch],
      answers: {
        200: json('OpenAPI 3.1.', ref('OpenApi'), ['ETag']),
        304: empty('The client has it.', ['ETag']),
      },
    },
    asset: {
      id: 'readDocsAsset',
      summary: 'Read a file of the page',
      answers: { 200: body('The file.', '*/*', {}, ['Cache-Control', 'X-Content-Type-Options']) },
      refusals: ['404'],
    },
  });
}
