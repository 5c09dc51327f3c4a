import { type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ApiHeader, ApiIncludeEndpoint, ApiOperation, ApiParam, ApiQuery } from '@nestjs/swagger';
import {
  type Answer,
  type Parameter,
  type RefusalName,
  type Schemas,
  parameters,
  pathParameters,
  type Schema,
} from './vocabulary.js';

/** The description of a controller's method beyond its route. */
export interface Operation {
  /** Its name in generated clients; unique. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** The classes of its query parameters. */
  readonly query?: Type | readonly Type[];
  /** Parameters beyond those of the path. */
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Refusals beyond those of every operation. */
  readonly refusals?: readonly RefusalName[];
}

interface RequestBody {
  readonly type: string;
  readonly schema: Schema;
  /** Schemas of its other media types. */
  readonly others?: Readonly<Record<string, Schema>>;
}

/** A group of operations in the document. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  /** Whether they need no key. */
  readonly isPublic?: boolean;
  /** The classes of their bodies and answers. */
  readonly models?: readonly Type[];
  /** The names of models that allow other keys. */
  readonly open?: readonly string[];
  /** Further schemas that bodies and answers refer to, by name. */
  readonly schemas?: Schemas;
  /** The requests that the service sends, by the names of their events. */
  readonly webhooks?: Readonly<Record<string, SentBody>>;
}

/** A request that the service sends. */
export interface SentBody {
  readonly summary: string;
  readonly body: Schema;
}

/** The descriptions of a controller's methods. */
type Operations<Controller> = { readonly [Method in keyof Controller]: Operation };

/** Describes the methods of a controller outside of it, so that the controller stays short. */
export function describe<Controller extends object>(
  controller: Type<Controller>,
  group: OperationGroup,
  operations: Operations<Controller>,
): OperationGroup {
  const prototype: unknown = controller.prototype;
  if (typeof prototype !== 'object' || !prototype) return group;
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const method: unknown = descriptor?.value;
    if (!descriptor || typeof method !== 'function')
      throw new Error(`${controller.name} has no method ${name}`);
    for (const decorate of decorators(group, operation, pathOf(controller, method)))
      decorate(prototype, name, descriptor);
  }
  return group;
}

function pathOf(controller: object, method: object): string {
  const texts = [controller, method].map((target) => String(Reflect.getMetadata(PATH_METADATA, target)));
  return texts.join('/');
}

function decorators(group: OperationGroup, operation: Operation, path: string): MethodDecorator[] {
  const { id, summary, description, answers, body, query } = operation;
  const refused = [...always, ...(group.isPublic ? [] : keyed), ...(operation.refusals ?? [])];
  return [
    ApiIncludeEndpoint(),
    ApiOperation({
      operationId: id,
      summary,
      description,
      tags: [group.name],
      ...(group.isPublic && { security: [] }),
      ...(body && { requestBody: { required: true, content: contentOf(body) } }),
      responses: {
        ...Object.fromEntries(refused.map((name) => [name.slice(0, 3), response(name)])),
        ...answers,
      },
    }),
    ...[query ?? []].flat().map((type) => ApiQuery({ type })),
    ...[...inPath(path), ...(operation.parameters ?? []), parameters.requestId].map(declare),
  ];
}

function contentOf({ type, schema, others = {} }: RequestBody): Record<string, { schema: Schema }> {
  const all = Object.entries({ [type]: schema, ...others });
  return Object.fromEntries(all.map(([name, schema]) => [name, { schema }]));
}

const always: readonly RefusalName[] = ['400', '408', '431', '500'];
const keyed: readonly RefusalName[] = ['401', '403', '404', '422', '429', '503'];

const response = (name: RefusalName): { $ref: string } => ({ $ref: `#/components/responses/${name}` });

function inPath(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const parameter = pathParameters.get(name);
    if (!parameter) throw new Error(`nobody says what ${name} is in ${path}`);
    return parameter;
  });
}

function declare(parameter: Parameter): MethodDecorator {
  const { in: place, name, description = '', schema = {}, required = false, ...rest } = parameter;
  const options = { name, description, schema, required, ...rest };
  if (place === 'path') return ApiParam(options);
  return place === 'query' ? ApiQuery(options) : ApiHeader(options);
}
