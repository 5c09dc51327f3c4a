import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OpenAPIObject } from '@nestjs/swagger';
import { projectFolder } from '../version.js';
import { mapOperations, type Operation } from './operations.js';
import { mapped } from './vocabulary.js';

/** The requests and answers of a story in the demo workspace, recorded by a test of the service. */
export interface Examples {
  readonly parameters: Readonly<Record<string, string>>;
  /** By the id of the operation. */
  readonly operations: Readonly<Record<string, OperationExample>>;
  /** Problems and other refusals, by status. */
  readonly refusals: Readonly<Record<string, unknown>>;
}

export interface OperationExample {
  readonly request?: unknown;
  /** By status; null if an answer has no body. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export async function readExamples(): Promise<Examples> {
  const text = await readFile(join(projectFolder(), 'docs/examples/answers.json'), 'utf8');
  return JSON.parse(text) as Examples;
}

export function withExamples(document: OpenAPIObject, examples: Examples): OpenAPIObject {
  const { components = {} } = document;
  const responses = mapped(components.responses ?? {}, (answer, status) =>
    shown(answer, examples.refusals[status]),
  );
  return {
    ...document,
    paths: mapOperations(document.paths, (operation) => exemplified(operation, examples)),
    components: { ...components, responses },
  };
}

function exemplified(operation: Operation, { parameters, operations }: Examples): Operation {
  const { request, answers = {} } = operations[operation.operationId ?? ''] ?? {};
  const { parameters: own = [], requestBody } = operation;
  return {
    ...operation,
    parameters: own.map((one) =>
      'in' in one && one.in === 'path' && one.name in parameters
        ? { ...one, example: parameters[one.name] }
        : one,
    ),
    ...(requestBody && { requestBody: shown(requestBody, request) }),
    responses: mapped(operation.responses, (answer, status) => answer && shown(answer, answers[status])),
  };
}

/** The body with its example, if there is one, under the first of its types. */
function shown<Body extends object & { content?: Record<string, object> }>(
  body: Body,
  example: unknown,
): Body {
  const [first, ...others] = Object.entries(body.content ?? {});
  if (!first || example == null) return body;
  const [type, media] = first;
  return { ...body, content: Object.fromEntries([[type, { ...media, example }], ...others]) };
}
