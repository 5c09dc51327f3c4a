import { type OpenAPIObject } from '@nestjs/swagger';
import { type Workflow, type Workspace } from '../../workflows/workspace.js';
import { type Parameter } from '../parameters.js';
import { filterParameters } from './filter-parameters.js';
import { taskSchemasOf } from './task-schemas.js';
import { withoutUnused } from './without-unused.js';

/** The description of the interface as one workflow has it: its own paths, names and types. */
export function workflowDocument(
  general: OpenAPIObject,
  workspace: Workspace,
  workflow: Workflow,
): OpenAPIObject {
  const { components = {}, info } = general;
  const filters = filterParameters(workflow);
  const paths = Object.entries(general.paths)
    .filter(([path]) => belongs(path, workflow))
    .map(([path, item]): [string, PathItem] => [
      path.replace('{workflow_id}', workflow.slug),
      specialItem(item, filters),
    ]);
  const tags = general.tags?.filter(({ name }) => JSON.stringify(paths).includes(`"tags":["${name}"]`));
  return withoutUnused({
    ...general,
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
    if (operation) special[method] = { ...operation, ...(parameters && { parameters }) };
  }
  return special;
}

const methods = ['get', 'post', 'put', 'delete'] as const;

type AnyParameter = NonNullable<NonNullable<PathItem['get']>['parameters']>[number];

function specialParameter(parameter: AnyParameter, filters: readonly Parameter[]): AnyParameter[] {
  if (!('in' in parameter)) return [parameter];
  if (parameter.name === 'filters') return [...filters];
  return parameter.name === 'workflow_id' ? [] : [parameter];
}
