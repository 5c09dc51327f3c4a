import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { errorModels, taskSchemas } from './components.js';
import { serviceVersion } from '../lib/version.js';
import { headers, refusals, type Schemas } from './vocabulary.js';
import { type OperationGroup, type SentBody } from './operation.js';

/** Describes the methods of some controllers, and names their group. */
export type Describer = () => OperationGroup;

/** The description of the whole API; `server` is the base address of its paths. */
export function buildGeneralDocument(
  app: INestApplication,
  describers: readonly Describer[],
  server: string,
): OpenAPIObject {
  const groups = describers.map((describe) => describe());
  const written = Object.assign({}, taskSchemas, ...groups.map(({ schemas }) => schemas)) as Schemas;
  const { components, info, ...config } = head(groups, server).build();
  const document = SwaggerModule.createDocument(
    app,
    {
      ...config,
      info: { ...info, license },
      components: {
        ...components,
        schemas: written,
        responses: refusals,
        headers,
      },
    },
    {
      autoTagControllers: false,
      // The catch-all route for unknown paths is not described, so it is left out.
      onlyIncludeDecoratedEndpoints: true,
      extraModels: [...errorModels, ...groups.flatMap(({ models = [] }) => models)],
    },
  );
  closeModels(document, new Set([...Object.keys(written), ...groups.flatMap(({ open = [] }) => open)]));
  return { ...withoutSingles(document), webhooks: sentBy(groups) };
}

/** Forbids other keys in the schemas of classes, except in these: answers allow them again (`openAnswers`). */
function closeModels({ components }: OpenAPIObject, others: ReadonlySet<string>): void {
  for (const [name, schema] of Object.entries(components?.schemas ?? {}))
    if (!others.has(name) && 'properties' in schema) schema.additionalProperties = false;
}

/** Replaces an `allOf` of one reference, which the decorators need, by the reference itself. */
function withoutSingles(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document), (_, part: { allOf?: object[] } | null) => {
    if (part?.allOf?.length !== 1) return part;
    const { allOf, ...others } = part;
    return { ...others, ...allOf[0] };
  }) as OpenAPIObject;
}

/** The requests that the service sends, as `webhooks` of OpenAPI 3.1. */
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
      '2XX': { description: 'The receiver has accepted the event.' },
      '4XX': { description: 'The event is sent again; after 410, the webhook is disabled.' },
    },
  };
}

const sentHeaders = Object.entries({
  'webhook-id': 'The id of the event, the same on every try.',
  'webhook-timestamp': 'The time of this try, in seconds since 1970.',
  'webhook-signature': '`v1,` and the HMAC-SHA256 of id, timestamp and body; several separated by spaces.',
}).map(([name, description]) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' },
}));

// A property of OpenAPI 3.1, which the builder does not know.
const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

function head(groups: readonly OperationGroup[], server: string): DocumentBuilder {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Workflow Task Service')
    .setDescription('Tasks in workflows: their links, files and checklists, and what can be done with them.')
    .setVersion(serviceVersion)
    .addServer(server)
    .addSecurity('key', { type: 'http', scheme: 'bearer', description: 'An API key of a workspace.' })
    .addSecurityRequirements('key');
  for (const { name, description } of groups) builder.addTag(name, description);
  return builder;
}
