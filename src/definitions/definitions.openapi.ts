import { IntrospectionController } from './definitions.controller.js';
import { empty, json, parameters, listOf, ref, type Schema } from '../openapi/vocabulary.js';
import { describe, type OperationGroup, type Operation } from '../openapi/operation.js';
import { WorkflowDocumentController } from '../openapi/workflow-document.controller.js';
import { Named, NamedRole, Participant, StageName } from './definition.dto.js';
import { shownSchemas } from './shown-schemas.js';

const group: OperationGroup = { name: 'Definition', description: 'The definition of the workspace.' };

const read = (id: string, summary: string, schema: Schema, description: string): Operation => ({
  id,
  summary,
  description,
  parameters: [parameters.ifNoneMatch],
  answers: { 200: json('As it is in force.', schema, ['ETag']), 304: empty('The client has it.', ['ETag']) },
});

export function describeDefinition(): OperationGroup {
  describe(WorkflowDocumentController, group, {
    read: read(
      'readWorkflowOpenApi',
      'Read the description of this workflow’s interface',
      ref('OpenApi'),
      'OpenAPI 3.1 with the fields, options, stages, links and actions of this workflow, for generators of clients.',
    ),
  });
  describe(IntrospectionController, group, {
    workspace: read('readWorkspace', 'Read the workspace', ref('Named'), 'The workspace of the key.'),
    workflows: read(
      'listWorkflows',
      'List the workflows',
      listOf(ref('Named')),
      'The ids stand in all other paths.',
    ),
    workflow: read(
      'readWorkflow',
      'Read the whole definition of a workflow',
      ref('WorkflowDefinition'),
      'As a definition file has it, with the ids of the fields and the relationships of the workflow.',
    ),
    stages: read(
      'listStages',
      'List the stages',
      listOf(ref('StageName')),
      'In the order of the definition. New tasks enter the first, unless the definition names another.',
    ),
    fields: read(
      'listFields',
      'List the fields',
      listOf(ref('Field')),
      'In the order of the definition, each with the settings of its type.',
    ),
    roles: read(
      'listRoles',
      'List the roles',
      listOf(ref('Role')),
      'Who has an `admin` role may do everything in the workflow.',
    ),
    users: read(
      'listUsers',
      'List who works in the workflow',
      listOf(ref('User')),
      'The active members; where the workflow defines no roles, all active users of the workspace.',
    ),
    user: read('readUser', 'Read one of them', ref('User'), 'One of those who work in the workflow, by id.'),
  });
  return { ...group, models: [Named, StageName, NamedRole, Participant], schemas: shownSchemas() };
}
