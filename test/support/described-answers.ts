import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Response } from 'supertest';
import { Documents } from '../../src/workflows/docs/documents.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

interface Answer {
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Checks answers against the OpenAPI document: anything that it does not describe is a fault. */
export class DescribedAnswers {
  // The document itself is not validated: compiling the schema of schemas takes longer than most tests.
  private readonly ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    meta: false,
    validateSchema: false,
  });
  private readonly paths: readonly (readonly [RegExp, string])[];
  private readonly bodies = new Map<string, ValidateFunction>();

  constructor(private readonly document: Document) {
    this.ajv.addSchema(ofToday(document), 'openapi');
    // A path without parameters takes precedence over one with parameters, as in OpenAPI.
    this.paths = Object.keys(document.paths)
      .toSorted((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => [new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`), path]);
  }

  /** Throws if an answer to this request is not described. */
  check(method: string, url: string, response: Response): void {
    const fault = this.faultOf(method.toLowerCase(), url.split('?')[0] ?? '', response);
    if (fault !== undefined)
      throw new Error(`${method} ${url}: ${response.status} is not as the description says: ${fault}`);
  }

  private faultOf(method: string, path: string, response: Response): string | undefined {
    const known = this.paths.find(([pattern]) => pattern.test(path))?.[1];
    const operation = known === undefined ? undefined : this.document.paths[known]?.[method];
    if (known === undefined || !operation)
      return [401, 403, 404, 405].includes(response.status) ? undefined : 'there is no such operation';
    const described = operation.responses[response.status];
    if (!described) return 'there is no such status';
    const place =
      '$ref' in described
        ? described.$ref
        : `#/paths/${escape(known)}/${method}/responses/${response.status}`;
    const answer =
      '$ref' in described ? this.document.components.responses[place.split('/').at(-1) ?? ''] : described;
    if (!('x-request-id' in (response.headers as object))) return 'it has no X-Request-Id';
    return this.bodyFault(place, answer ?? {}, response);
  }

  private bodyFault(pointer: string, { content = {} }: Answer, response: Response): string | undefined {
    const type = (response.headers as Record<string, string>)['content-type']?.split(';')[0];
    if (type === undefined)
      return Object.keys(content).length > 0 && response.text ? 'it has no type' : undefined;
    if (content['*/*']) return undefined;
    if (!content[type]) return `nobody says of a body of ${type}`;
    if (!type.endsWith('json')) return undefined;
    // Of an answer in lines, tests show one.
    const part = type === 'application/x-ndjson' ? 'schema/contentSchema' : 'schema';
    const validate = this.validator(`${pointer}/content/${escape(type)}/${part}`);
    // Bytes, if the test asked for them.
    const body: unknown = Buffer.isBuffer(response.body)
      ? JSON.parse(response.body.toString())
      : response.body;
    if (validate(body)) return undefined;
    return this.ajv.errorsText(validate.errors?.slice(0, 5), { dataVar: 'body' });
  }

  private validator(pointer: string): ValidateFunction {
    const known = this.bodies.get(pointer) ?? this.ajv.compile({ $ref: `openapi${pointer}` });
    this.bodies.set(pointer, known);
    return known;
  }
}

/** The document without room for later additions, so that undescribed keys and texts are found. */
function ofToday(document: Document): object {
  return JSON.parse(JSON.stringify(document), (_, part: Grown | null) => {
    if (typeof part !== 'object' || !part || Array.isArray(part)) return part;
    const { 'x-extensible-enum': values, ...rest } = part;
    return {
      ...rest,
      ...(values && { enum: values }),
      ...(part.type === 'object' &&
        part.properties && { additionalProperties: part.additionalProperties ?? false }),
    };
  }) as object;
}

interface Grown {
  readonly type?: unknown;
  readonly properties?: object;
  readonly additionalProperties?: unknown;
  readonly 'x-extensible-enum'?: readonly unknown[];
}

const escape = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

const worker = globalThis as { describedAnswers?: Promise<DescribedAnswers> };

/** The OpenAPI document of a build, shared by all files of a worker because its schemas take long to compile. */
export async function describedAnswers(app: NestExpressApplication): Promise<DescribedAnswers> {
  return (worker.describedAnswers ??= read(app).then(
    (text) => new DescribedAnswers(JSON.parse(text) as Document),
  ));
}

async function read(app: NestExpressApplication): Promise<string> {
  const file = join(process.env['WTS_TEST_FOLDER'] ?? '', 'openapi.json');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const text = (await app.get(Documents).general()).bytes.toString();
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return text;
}
