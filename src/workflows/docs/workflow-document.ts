import { type OpenAPIObject } from '@nestjs/swagger';
import { type Workflow, type Workspace } from '../model/workspace.js';
import { type Pause } from '../../../packages/fair/turn.js';
import { mapOperations, type Operation, type Parameter } from '../../common/openapi/operations.js';
import { type Components, componentsUsedBy, ref, type Schema } from '../../common/openapi/vocabulary.js';
import { taskSchemasOf } from './workflow-schemas.js';
import { instants } from '../fields/properties/built-ins.js';
import { type ListedProperty } from '../fields/property.js';
import { type Order } from '../fields/field-type.js';

/**
 * Builds the OpenAPI document of one workflow as JSON, with its own paths, names and types. Pauses between
 * parts, because a large definition would otherwise block the event loop.
 */
export async function workflowDocument(
  general: OpenAPIObject,
  workspace: Workspace,
  workflow: Workflow,
  pause: Pause,
): Promise<string> {
  // Webhooks belong to the workspace, not to the workflow.
  const { webhooks: _, ...others } = general;
  const { components = {}, info } = general;
  const paths = await pathsOf(general, workflow, pause);
  const own = await taskSchemasOf(workspace, workflow, pause);
  await pause();
  const all = { ...components, schemas: { ...components.schemas, ...own } };
  const document = {
    ...others,
    info: {
      ...info,
      title: workflow.name,
      description: `The workflow ${workflow.slug} of ${workspace.name}.`,
      version: `${workspace.version}`,
    },
    paths,
    components: usedBy(paths, all),
  };
  await pause();
  return JSON.stringify(document);
}

async function pathsOf(
  general: OpenAPIObject,
  workflow: Workflow,
  pause: Pause,
): Promise<OpenAPIObject['paths']> {
  const own = ownParameters(workflow);
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(general.paths)) {
    if (!belongs(path, workflow)) continue;
    await pause();
    const place = path.replace('{workflow_id}', workflow.slug);
    Object.assign(
      paths,
      mapOperations({ [place]: item }, (one) => special(one, own)),
    );
  }
  return paths;
}

/** Whether the document shows a path. The workflow must have what the path needs, such as a Unique ID. */
function belongs(path: string, { schema }: Workflow): boolean {
  if (path.startsWith('/api/v1/files/')) return schema.files.size > 0;
  if (!path.startsWith('/api/v1/workflows/{workflow_id}')) return false;
  if (path.includes('{field}') && schema.files.size === 0) return false;
  if (path.includes('{relationship}') && schema.links.size === 0) return false;
  return schema.uniqueId !== undefined || !/\{unique_id\}|\/executions/.test(path);
}

function special({ parameters = [], ...operation }: Operation, own: OwnParameters): Operation {
  const replaced = parameters.flatMap((one) => ('name' in one && own.get(one.name)) || one);
  return { ...operation, parameters: replaced };
}

/** The workflow's own parameters, by the name of the general parameter that they replace. */
type OwnParameters = ReadonlyMap<string, readonly Parameter[]>;

function ownParameters(workflow: Workflow): OwnParameters {
  const own = new Map([
    ['workflow_id', []],
    ['relationship', [named('relationship', 'RelationshipName')]],
    ['field', [named('field', 'FieldName')]],
    ['filters', filterParameters(workflow)],
  ]);
  return workflow.schema.isSearched ? own : own.set('_search', []);
}

const named = (name: string, schema: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: ref(schema),
});

/**
 * The parameters that filter lists of a workflow: one for each field and operator, and one for each field of
 * linked tasks.
 */
function filterParameters({ schema }: Workflow): Parameter[] {
  const linked = schema.properties.flatMap(({ name, links }) =>
    (links?.names() ?? []).flatMap((key) => linkedParameter(`${name}.${key}`, links?.property(key))),
  );
  const own = [...schema.properties, ...instants.values()].flatMap(parametersOf);
  const { byName } = schema;
  // A field can be named like a filter: `Amount[gt]` or `Request.Amount`. The field then wins.
  const exact = own.filter(({ name }) => byName.has(name) || instants.has(name));
  const named = new Map([...own, ...linked, ...exact].map((one) => [one.name, one]));
  return [...named.values()];
}

/**
 * The parameter for one field of linked tasks. It stands for all operators, because a parameter for each
 * operator would make tens of thousands of parameters.
 */
function linkedParameter(name: string, property: ListedProperty | undefined): Parameter[] {
  const meaning =
    'A linked task has this value, or one of several. Operators such as `[gt]` can be added, as for a field of the task itself.';
  return property?.filter ? [parameter(name, meaning, several(textual))] : [];
}

function parametersOf({ name, filter }: ListedProperty): Parameter[] {
  if (!filter) return [];
  const value = name === 'Stage' ? ref('Stage') : textual;
  return [
    parameter(name, 'Equals this value, or one of several; empty means blank.', several(value)),
    ...operatorsOf(filter.order).map((operator) =>
      parameter(
        `${name}[${operator}]`,
        meanings[operator],
        several(operator === 'contains' ? textual : value),
      ),
    ),
  ];
}

const parameter = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const textual: Schema = { type: 'string' };
const several = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'array', items: schema }] });

const meanings = {
  ne: 'Equals none of these values.',
  gt: 'Is greater than this value.',
  gte: 'Is greater than or equal to this value.',
  lt: 'Is less than this value.',
  lte: 'Is less than or equal to this value.',
  contains: 'Contains this value as a part or member.',
};

function operatorsOf({ by }: Order): (keyof typeof meanings)[] {
  if (by === 'ranks') return ['ne', 'contains'];
  return by === 'text' ? ['ne', 'gt', 'gte', 'lt', 'lte', 'contains'] : ['ne', 'gt', 'gte', 'lt', 'lte'];
}

function usedBy(paths: OpenAPIObject['paths'], components: Components): Components {
  const used = componentsUsedBy(components, [paths]);
  const keep = <T>(kind: string, all: Readonly<Record<string, T>> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    ...components,
    schemas: keep('schemas', components.schemas),
    responses: keep('responses', components.responses),
  };
}
