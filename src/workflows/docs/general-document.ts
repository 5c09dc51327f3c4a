import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { serviceVersion } from '../../common/version.js';
import { refusals } from '../../common/openapi/answers.js';
import { errorModels, openBodies, taskSchemas } from './task-schemas.js';
import { closedBodies, completed, mapOperations } from '../../common/openapi/operations.js';
import { ref } from '../../common/openapi/vocabulary.js';

/** Builds the OpenAPI document of all routes. `server` is the base address of the paths. */
export function buildGeneralDocument(app: INestApplication, server: string): OpenAPIObject {
  const { components, info, ...config } = head(server).build();
  const described = {
    ...config,
    info: { ...info, license },
    components: { ...components, schemas: taskSchemas, responses: refusals },
  };
  const made = SwaggerModule.createDocument(app, described, {
    autoTagControllers: false,
    // The name of the handler method is the id of the operation.
    operationIdFactory: (_, handler) => handler,
    extraModels: errorModels,
  });
  const document = withoutSingles({ ...made, paths: mapOperations(made.paths, completed) });
  return { ...closedBodies(document, openBodies), webhooks };
}

function head(server: string): DocumentBuilder {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Workflow Task Service')
    .setDescription('Tasks in workflows, with their links, files, checklists and actions.')
    .setVersion(serviceVersion)
    .addServer(server)
    .addSecurity('key', { type: 'http', scheme: 'bearer', description: 'An API key of a workspace.' })
    .addSecurityRequirements('key')
    .addGlobalParameters({
      name: 'X-Request-Id',
      in: 'header',
      description: 'An id for the request: 1 to 100 characters of `A-Za-z0-9_.:-`. Default: a random id.',
      schema: { type: 'string' },
    });
}

// The builder cannot set `identifier`, which is new in OpenAPI 3.1.
const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

/**
 * Replaces each `allOf` that has a single entry by this entry. Decorators write such an `allOf` for a
 * reference.
 */
function withoutSingles(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document), (_, part: { allOf?: object[] } | null) => {
    if (part?.allOf?.length !== 1) return part;
    const { allOf, ...others } = part;
    return { ...others, ...allOf[0] };
  }) as OpenAPIObject;
}

const sentHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header' as const,
  required: true,
  schema: { type: 'string' },
}));

/** The request that the service sends to a receiver of events. */
const webhooks = {
  event: {
    post: {
      operationId: 'onEvent',
      tags: ['Webhooks'],
      summary: 'Receive an event, or a test of type `webhook.test`',
      security: [],
      parameters: sentHeaders,
      requestBody: { required: true, content: { 'application/json': { schema: ref('Event') } } },
      responses: {
        '2XX': { description: 'The receiver has accepted the event.' },
        '4XX': { description: 'The event is sent again; after 5 days of failures, the webhook is disabled.' },
      },
    },
  },
};
