import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { errorSchemas, taskSchemas } from './components.js';
import { serviceVersion } from '../lib/version.js';
import { headers, refusals } from './vocabulary.js';
import { type OperationGroup, type SentBody } from './operation.js';

/** Describes the methods of some controllers, and names the group that they make. */
export type Describer = () => OperationGroup;

/** The description of the whole interface; `server` is the address that paths stand behind. */
export function buildGeneralDocument(
  app: INestApplication,
  describers: readonly Describer[],
  server: string,
): OpenAPIObject {
  const groups = describers.map((describe) => describe());
  const { components, info, ...config } = head(groups, server).build();
  const document = SwaggerModule.createDocument(
    app,
    {
      ...config,
      info: { ...info, license },
      components: {
        ...components,
        schemas: {
          ...taskSchemas,
          ...Object.fromEntries(groups.flatMap(({ schemas = {} }) => Object.entries(schemas))),
          ...errorSchemas,
        },
        responses: refusals,
        headers,
      },
    },
    // The route that answers 404 for unknown paths is not described, and so not shown.
    { autoTagControllers: false, onlyIncludeDecoratedEndpoints: true },
  );
  return { ...document, webhooks: sentBy(groups) };
}

/** What the service sends, as OpenAPI 3.1 tells it. */
function sentBy(groups: readonly OperationGroup[]): NonNullable<OpenAPIObject['webhooks']> {
  const all = groups.flatMap(({ name, webhooks = {} }) =>
    Object.entries(webhooks).map(([key, sent]) => [key, { post: operationOf(name, key, sent) }] as const),
  );
  return Object.fromEntries(all);
}

function operationOf(tag: string, key: string, { summary, body }: SentBody) {
  return {
    operationId: `on_${key.replaceAll('.', '_')}`,
    tags: [tag],
    summary,
    security: [],
    parameters: sentHeaders,
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: 'It has arrived.' },
      '4XX': { description: 'It is sent again; after 410 nothing is sent any more.' },
    },
  };
}

const sentHeaders = Object.entries({
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'Seconds since 1970, when this try was made.',
  'webhook-signature': '`v1,` and the HMAC-SHA256 of id, timestamp and body; several with spaces between.',
}).map(([name, description]) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' },
}));

// Of OpenAPI 3.1, which the builder does not know of.
const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

function head(groups: readonly OperationGroup[], server: string): DocumentBuilder {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Workflow Task Service')
    .setDescription('Tasks in workflows: their links, files and checklists, and what can be done with them.')
    .setVersion(serviceVersion)
    .addServer(server)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key of a workspace.' }, 'key')
    .addSecurityRequirements('key');
  for (const { name, description } of groups) builder.addTag(name, description);
  return builder;
}
