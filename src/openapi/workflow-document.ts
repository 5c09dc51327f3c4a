import { type Schema } from '../lib/described.js';
import { type OpenAPIObject } from '@nestjs/swagger';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { type Parameter, query, ref } from './vocabulary.js';
import { taskSchemasOf } from './workflow-schemas.js';
import { instants } from '../schema/properties/instant.js';
import { type ListedProperty } from '../schema/property.js';
import { type Order } from '../schema/field-type.js';

/** The description of the interface as one workflow has it: its own paths, names and types. */
export function workflowDocument(
  general: OpenAPIObject,
  workspace: Workspace,
  workflow: Workflow,
): OpenAPIObject {
  // What is sent is the workspace's.
  const { webhooks: _, ...others } = general;
  const { components = {}, info } = general;
  const filters = filterParameters(workflow);
  const paths = Object.entries(general.paths)
    .filter(([path]) => belongs(path, workflow))
    .map(([path, item]): [string, PathItem] => [
      path.replace('{workflow_id}', workflow.slug),
      specialItem(item, filters),
    ]);
  const told = JSON.stringify(paths);
  const tags = general.tags?.filter(({ name }) => told.includes(`"tags":["${name}"]`));
  return withoutUnused({
    ...others,
    ...(tags && { tags }),
    info: {
      ...info,
      title: workflow.name,
      description: `The workflow ${workflow.slug} of ${workspace.name}.`,
      version: `${workspace.version}`,
    },
    paths: Object.fromEntries(paths),
    components: { ...components, schemas: { ...components.schemas, ...taskSchemasOf(workspace, workflow) } },
  });
}

type PathItem = OpenAPIObject['paths'][string];

/** Whether a path is of use with this workflow: it may have no Unique ID, no file fields, no relationships. */
function belongs(path: string, { schema }: Workflow): boolean {
  if (path.startsWith('/api/v1/files/')) return schema.files.size > 0;
  if (!path.startsWith('/api/v1/workflows/{workflow_id}')) return false;
  if (path.includes('{field}') && schema.files.size === 0) return false;
  if (path.includes('{relationship}') && schema.links.size === 0) return false;
  return schema.uniqueId !== undefined || !/\{unique_id\}|\/executions/.test(path);
}

function specialItem(item: PathItem, filters: readonly Parameter[]): PathItem {
  const special: PathItem = {};
  for (const method of methods) {
    const operation = item[method];
    const parameters = operation?.parameters?.flatMap((one) => specialParameter(one, filters));
    if (operation) special[method] = withoutExamples({ ...operation, ...(parameters && { parameters }) });
  }
  return special;
}

/** The examples are of the demo's workflows: this one has other names. */
function withoutExamples<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part), (_, value: unknown) =>
    typeof value === 'object' && value && 'example' in value && ('schema' in value || 'in' in value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'example'))
      : value,
  ) as Part;
}

const methods = ['get', 'post', 'put', 'delete'] as const;

type AnyParameter = NonNullable<NonNullable<PathItem['get']>['parameters']>[number];

function specialParameter(parameter: AnyParameter, filters: readonly Parameter[]): AnyParameter[] {
  if (!('in' in parameter)) return [parameter];
  if (parameter.name === 'filters') return [...filters];
  return parameter.name === 'workflow_id' ? [] : [parameter];
}

/** The parameters by which the lists of a workflow can be filtered, one for each field and operator. */
export function filterParameters({ schema }: Workflow): Parameter[] {
  return [...schema.properties, ...instants.values()].flatMap(parametersOf);
}

function parametersOf({ name, filter }: ListedProperty): Parameter[] {
  if (!filter) return [];
  const value = name === 'Stage' ? ref('Stage') : textual;
  return [
    query(name, 'Is this value, or one of several; empty is blank.', several(value)),
    ...operatorsOf(filter.order).map((operator) =>
      query(`${name}[${operator}]`, meanings[operator], several(operator === 'contains' ? textual : value)),
    ),
  ];
}

const textual: Schema = { type: 'string' };
const several = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'array', items: schema }] });

const meanings = {
  ne: 'Is none of these values.',
  gt: 'Stands behind this value.',
  gte: 'Is this value or stands behind it.',
  lt: 'Stands before this value.',
  lte: 'Is this value or stands before it.',
  contains: 'Has this as a part or member.',
};

function operatorsOf({ by }: Order): (keyof typeof meanings)[] {
  if (by === 'ranks') return ['ne', 'contains'];
  return by === 'text' ? ['ne', 'gt', 'gte', 'lt', 'lte', 'contains'] : ['ne', 'gt', 'gte', 'lt', 'lte'];
}

/** The document without the components that nothing in its paths leads to. */
export function withoutUnused(document: OpenAPIObject): OpenAPIObject {
  const { components = {} } = document;
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(reference)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      visit(Reflect.get(Object(Reflect.get(components, kind)), name));
    }
  };
  visit(document.paths);
  const keep = <T>(kind: string, all: Readonly<Record<string, T>> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    ...document,
    components: {
      ...components,
      schemas: keep('schemas', components.schemas),
      responses: keep('responses', components.responses),
      headers: keep('headers', components.headers),
    },
  };
}

const reference = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;
