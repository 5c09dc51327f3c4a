import { type OpenAPIObject } from '@nestjs/swagger';
import { refusals } from './answers.js';
import { componentsUsedBy, mapped } from './vocabulary.js';

type Paths = OpenAPIObject['paths'];
type PathItem = Paths[string];
export type Operation = NonNullable<PathItem['get']>;
export type Parameter = Extract<NonNullable<Operation['parameters']>[number], { in: string }>;

const methods = ['get', 'post', 'put', 'delete'] as const;

export function mapOperations(paths: Paths, change: (one: Operation, path: string) => Operation): Paths {
  return mapped(paths, (item, path) => {
    const changed: PathItem = {};
    for (const method of methods) if (item[method]) changed[method] = change(item[method], path);
    return changed;
  });
}

const operationsOf = (paths: Paths): Operation[] =>
  Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));

/** Adds to an operation the parts that follow from its path, parameters and body. */
export function completed(operation: Operation, path: string): Operation {
  const parameters = [...new Map([...own(operation), ...inPath(path)].map(withKey)).values()];
  const names = new Set(parameters.map(({ name }) => name));
  const answers = mapped(operation.responses, (answer, status) => {
    if (!answer || '$ref' in answer) return answer;
    // If a refusal has only a status, `refusals` describes it.
    if (status in refusals && !answer.content) return refused(status);
    return { ...answer, description: answer.description || 'The request succeeded.' };
  });
  const known = Object.fromEntries(impliedRefusals(operation, names).map((one) => [one, refused(one)]));
  return { ...operation, parameters, responses: { ...known, ...answers } };
}

const impliedRefusals = ({ security, requestBody }: Operation, parameters: ReadonlySet<string>): string[] => [
  ...['400', '408', '431', '500'],
  // An operation sets `security` only if it needs no key. Others inherit `security` from the document.
  ...(security ? [] : ['401', '403', '404', '422', '429', '503']),
  ...(parameters.has('Idempotency-Key') ? ['409'] : []),
  ...(parameters.has('If-Match') ? ['412'] : []),
  ...(requestBody ? ['413', '415'] : []),
];

const own = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.flatMap((one) => ('in' in one && one.in !== 'path' ? [one] : []));

const withKey = (one: Parameter): [string, Parameter] => [`${one.in} ${one.name}`, one];

const inPath = (path: string): Parameter[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const refused = (status: string): { $ref: string } => ({ $ref: `#/components/responses/${status}` });

/** Forbids unknown keys in the schemas of requests, as the service does, except in `openBodies`. */
export function closedBodies(document: OpenAPIObject, openBodies: ReadonlySet<string>): OpenAPIObject {
  const { components = {} } = document;
  const sent = componentsUsedBy(
    components,
    operationsOf(document.paths).map(({ requestBody, parameters }) => [requestBody, parameters]),
  );
  const schemas = mapped(components.schemas ?? {}, (schema, name) =>
    sent.has(`schemas/${name}`) && 'properties' in schema && !openBodies.has(name)
      ? { additionalProperties: false, ...schema }
      : schema,
  );
  return { ...document, components: { ...components, schemas } };
}
