import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { errorSchemas, attachmentSchemas, taskSchemas } from './components.js';
import { serviceVersion } from '../lib/version.js';
import { headers, refusals } from './vocabulary.js';
import { type Group } from './operation.js';

/** Describes the methods of some controllers, and names the group that they make. */
export type Describer = () => Group;

/** The description of the whole interface; `server` is the address that paths stand behind. */
export function buildGeneralDocument(
  app: INestApplication,
  describers: readonly Describer[],
  server: string,
): OpenAPIObject {
  const groups = describers.map((describe) => describe());
  const { components, info, ...config } = head(groups, server).build();
  return SwaggerModule.createDocument(
    app,
    {
      ...config,
      info: { ...info, license },
      components: {
        ...components,
        schemas: {
          ...taskSchemas,
          ...attachmentSchemas,
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
}

// Of OpenAPI 3.1, which the builder does not know of.
const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

function head(groups: readonly Group[], server: string): DocumentBuilder {
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
