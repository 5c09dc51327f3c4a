import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OpenAPIObject } from '@nestjs/swagger';
import { projectFolder } from '../lib/project-folder.js';
import { mapped } from './vocabulary.js';

/** The requests and answers of a story in the demo workspace, recorded by a test of the service. */
export interface Examples {
  /** Values of path parameters, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** By the id of the operation. */
  readonly operations: Readonly<Record<string, OperationExample>>;
  /** Problems and other refusals, by the names that operations use for them. */
  readonly refusals: Readonly<Record<string, unknown>>;
}

export interface OperationExample {
  readonly request?: unknown;
  /** By status; null where an answer has no body. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export async function readExamples(): Promise<Examples> {
  const text = await readFile(join(projectFolder(), 'docs/examples/answers.json'), 'utf8');
  return JSON.parse(text) as Examples;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Part = object & { content?: Record<string, object> };

/** The document with an example for each operation. */
export function withExamples(document: OpenAPIObject, examples: Examples): OpenAPIObject {
  const paths = mapped(document.paths, (item) => {
    const operations = methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [[method, exemplified(operation, examples)] as const] : [];
    });
    return { ...item, ...Object.fromEntries(operations) };
  });
  const { components = {} } = document;
  const refusals = mapped(components.responses ?? {}, (answer, name) =>
    name in examples.refusals ? shown(answer, examples.refusals[name]) : answer,
  );
  return { ...document, paths, components: { ...components, responses: refusals } };
}

const methods = ['get', 'post', 'put', 'delete'] as const;

function exemplified(operation: Operation, { parameters, operations }: Examples): Operation {
  const { request, answers = {} } = operations[operation.operationId ?? ''] ?? {};
  return {
    ...operation,
    parameters: (operation.parameters ?? []).map((one) =>
      'in' in one && one.in === 'path' && one.name in parameters
        ? { ...one, example: parameters[one.name] }
        : one,
    ),
    ...(operation.requestBody && {
      requestBody: request === undefined ? operation.requestBody : shown(operation.requestBody, request),
    }),
    responses: mapped(operation.responses, (answer, status) =>
      answer && answers[status] != null ? shown(answer, answers[status]) : answer,
    ),
  };
}

/** A body with an example under the first of its types. */
function shown<Body extends Part>(body: Body, example: unknown): Body {
  const [first, ...others] = Object.entries(body.content ?? {});
  if (!first) return body;
  const [type, media] = first;
  return { ...body, content: Object.fromEntries([[type, { ...media, example }], ...others]) };
}
