import { type OpenAPIObject } from '@nestjs/swagger';
import { everyAnswer, refusals, sends } from './answers.js';
import { mapped, oneOf, ref, type Schema } from './vocabulary.js';

type Paths = OpenAPIObject['paths'];
type PathItem = Paths[string];
export type Operation = NonNullable<PathItem['get']>;
type AnyParameter = NonNullable<Operation['parameters']>[number];
export type Parameter = Extract<AnyParameter, { in: string }>;

const methods = ['get', 'post', 'put', 'delete'] as const;

export function mapOperations(paths: Paths, change: (one: Operation, path: string) => Operation): Paths {
  return mapped(paths, (item, path) => {
    const changed: PathItem = {};
    for (const method of methods) if (item[method]) changed[method] = change(item[method], path);
    return changed;
  });
}

export const operationsOf = (paths: Paths): Operation[] =>
  Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));

/** The operation, with the parts that every operation has and those that follow from its parameters and its body. */
export function completed(operation: Operation, path: string): Operation {
  const parameters = [...new Map([...own(operation), ...inPath(path), requestId].map(withKey)).values()];
  const names = new Set(parameters.map(({ name }) => name));
  const answers = mapped(operation.responses, (answer, status) => {
    if (!answer || '$ref' in answer) return answer;
    // A refusal with nothing but a status is described in `refusals`.
    if (status in refusals && !answer.content) return refused(status);
    return { ...answer, headers: { ...impliedHeaders(status, names), ...answer.headers } };
  });
  const known = Object.fromEntries(impliedRefusals(operation, names).map((one) => [one, refused(one)]));
  return { ...operation, parameters, responses: { ...known, ...answers } };
}

const impliedHeaders = (status: string, parameters: ReadonlySet<string>): object => ({
  ...everyAnswer,
  ...(status >= '400' && sends('Connection')),
  ...(status === '201' && sends('Location')),
  ...(status < '300' && parameters.has('_limit') && sends('Link')),
  ...(status < '300' && parameters.has('Prefer') && sends('Preference-Applied')),
});

const impliedRefusals = ({ security, requestBody }: Operation, parameters: ReadonlySet<string>): string[] => [
  ...['400', '408', '431', '500'],
  // `security` is set on operations that need no key.
  ...(security ? [] : ['401', '403', '404', '422', '429', '503']),
  ...(parameters.has('Idempotency-Key') ? ['409'] : []),
  ...(parameters.has('If-Match') ? ['412'] : []),
  ...(requestBody ? ['413', '415'] : []),
];

const own = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.flatMap((one) => ('in' in one && one.in !== 'path' ? [one] : []));

const withKey = (one: Parameter): [string, Parameter] => [`${one.in} ${one.name}`, one];

const refused = (status: string): { $ref: string } => ({ $ref: `#/components/responses/${status}` });

/** The header that every request may have. */
const requestId: Parameter = {
  name: 'X-Request-Id',
  in: 'header',
  description: 'An id for the request: 1 to 100 characters of `A-Za-z0-9_.:-`. Default: a random id.',
  schema: { type: 'string' },
};

function inPath(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const [description, schema = { type: 'string' }] = pathParameters[name] ?? idOf(name);
    if (description === undefined) throw new Error(`nobody says what ${name} is in ${path}`);
    return { name, in: 'path', required: true, description, schema };
  });
}

const idOf = (name: string): readonly [string?] => {
  const [, one] = /^([a-z]+)_id$/.exec(name) ?? [];
  return one === undefined ? [] : [`The id of the ${one}.`];
};

const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'];

/** The descriptions of the parameters of paths, by name; `x_id` is the id of an x. */
const pathParameters: Readonly<Record<string, readonly [string, Schema?]>> = {
  unique_id: ["The value of the task's Unique ID field, percent-encoded once."],
  other_unique_id: ['The Unique ID of the task at the other end.'],
  relationship: ['The relationship by its name on this side.', ref('RelationshipName')],
  field: ['The name of a file field.', ref('FieldName')],
  blob_id: ['The `blobId` of an attachment.'],
  id: ['The id of the checklist item.'],
  token: ['The last part of the address of a rule on hook.'],
  asset: ['A file of the page.', oneOf(assets, 'Its name.')],
};
