import { eventTypes } from '../../common/named-by-features.js';
import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { serviceVersion } from '../../common/version.js';
import { headers, refusals } from '../../common/openapi/answers.js';
import { errorModels, openBodies, taskSchemas } from './task-schemas.js';
import { openAnswers } from '../../common/openapi/open-answers.js';
import { completed, mapOperations, type Operation } from '../../common/openapi/operations.js';
import { ref, type Schemas } from '../../common/openapi/vocabulary.js';

/** The groups of operations, in the order of the document. */
const tags = {
  Tasks: 'The tasks of a workflow.',
  Links: 'The links of a task, one at a time.',
  Attachments: 'The files of a task, one at a time.',
  Checklists: 'The checklist of a task.',
  Comments: 'The comments on a task.',
  Actions: 'The actions on tasks, and their executions.',
  Approvals: 'Who must approve an action, and who has.',
  'Open approvals': 'Approvals that wait for a user.',
  Rules: 'Rules, which start actions when an event happens, and their runs.',
  Clocks: 'Deadlines of tasks.',
  Schedules: 'Schedules, which create tasks or start actions at set times, and calendars.',
  Timers: 'Actions that start on a task later.',
  Events: 'What happened, in an order that never changes.',
  Webhooks: 'Other systems that receive events. All requests need a key of scope `admin`.',
  Messages: 'Mail and posts of actions. All requests need a key of scope `admin`.',
  Hooks: 'Requests of other systems to rules on hook.',
  Definition: 'The definition of the workspace.',
  Service: 'Requests that need no key.',
};

/** `server` is the base address of its paths; `schemas` are those that no class describes. */
export function buildGeneralDocument(app: INestApplication, schemas: Schemas, server: string): OpenAPIObject {
  const { components, info, ...config } = head(server).build();
  const described = {
    ...config,
    info: { ...info, license },
    components: { ...components, schemas: { ...taskSchemas, ...schemas }, responses: refusals, headers },
  };
  const made = SwaggerModule.createDocument(app, described, {
    autoTagControllers: false,
    // The name of the handler is the id of the operation.
    operationIdFactory: (_, handler) => handler,
    extraModels: errorModels,
  });
  const document = withoutSingles({ ...made, paths: mapOperations(made.paths, completed) });
  return { ...openAnswers(document, openBodies), webhooks };
}

function head(server: string): DocumentBuilder {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Workflow Task Service')
    .setDescription('Tasks in workflows: their links, files and checklists, and what can be done with them.')
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
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  return builder;
}

// OpenAPI 3.1 has this property, but the builder does not know it.
const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

/** Replaces an `allOf` of one reference, which the decorators need, by the reference itself. */
function withoutSingles(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document), (_, part: { allOf?: object[] } | null) => {
    if (part?.allOf?.length !== 1) return part;
    const { allOf, ...others } = part;
    return { ...others, ...allOf[0] };
  }) as OpenAPIObject;
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

const sent = (type: string, summary: string, schema: string): { post: Operation } => ({
  post: {
    operationId: `on_${type.replaceAll('.', '_')}`,
    tags: ['Webhooks'],
    summary,
    security: [],
    parameters: sentHeaders,
    requestBody: { required: true, content: { 'application/json': { schema: ref(schema) } } },
    responses: {
      '2XX': { description: 'The receiver has accepted the event.' },
      '4XX': { description: 'The event is sent again; after 410, the webhook is disabled.' },
    },
  },
});

/** The requests that the service sends. */
const webhooks = {
  ...Object.fromEntries(eventTypes.map((type) => [type, sent(type, `Send ${type}`, 'Event')])),
  'webhook.test': sent('webhook.test', 'Send a test', 'TestEvent'),
};
