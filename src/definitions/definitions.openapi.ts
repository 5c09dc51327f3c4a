import { IntrospectionController } from './definitions.controller.js';
import { empty, json, parameters, listOf, ref, type Schema } from '../openapi/vocabulary.js';
import { describe, type Group, type Operation } from '../openapi/operation.js';
import { WorkflowDocumentController } from '../openapi/workflow-document.controller.js';
import { shownSchemas } from './shown-schemas.js';

const group: Group = { name: 'Definition', description: 'The definition of the workspace.' };

const read = (id: string, summary: string, schema: Schema): Operation => ({
  id,
  summary,
  parameters: [parameters.ifNoneMatch],
  answers: { 200: json('As it is in force.', schema, ['ETag']), 304: empty('The client has it.', ['ETag']) },
});

export function describeDefinition(): Group {
  describe(WorkflowDocumentController, group, {
    read: read('readWorkflowOpenApi', 'Read the description of this workflow’s interface', ref('OpenApi')),
  });
  describe(IntrospectionController, group, {
    workspace: read('readWorkspace', 'Read the workspace', ref('Named')),
    workflows: read('listWorkflows', 'List the workflows', listOf(ref('Named'))),
    workflow: read('readWorkflow', 'Read the whole definition of a workflow', ref('WorkflowDefinition')),
    stages: read('listStages', 'List the stages', listOf(ref('StageName'))),
    fields: read('listFields', 'List the fields', listOf(ref('Field'))),
    roles: read('listRoles', 'List the roles', listOf(ref('Role'))),
    users: read('listUsers', 'List who works in the workflow', listOf(ref('User'))),
    user: read('readUser', 'Read one of them', ref('User')),
  });
  return { ...group, schemas: shownSchemas() };
}
