import {
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../../config.js';
import { Refusal } from '../errors.js';
import { say } from '../message.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { JsonRefusal, readJson } from '../../../packages/exact-json/read-json.js';
import { ReadsBody, ValidatesQuery, readQuery, refuseParameters } from '../ops/query.js';
import { Bodies, jsonType, requireType } from './bodies.js';
import { readParameters } from './query.decorator.js';

/** The options of a body: the class of the query parameters, if there are any, and the maximum size in bytes. */
interface Wanted {
  readonly query?: Type<object> | undefined;
  readonly limit?: number;
}

interface BodyToRead extends Wanted {
  readonly request: Request;
}

/** Reads the request's body as one JSON object, once the guards have accepted the request. */
@Injectable()
class JsonPayloadPipe implements PipeTransform<BodyToRead, Promise<JsonObject>> {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly bodies: Bodies,
  ) {}

  async transform({ request, query, limit = this.config.maxBodyBytes }: BodyToRead): Promise<JsonObject> {
    return readObject(await this.bodies.read(request, limit), request, query);
  }
}

function readObject(bytes: Buffer, { path, originalUrl }: Request, query: Wanted['query']): JsonObject {
  if (bytes.length === 0) throw new Refusal('malformed', 'The body is empty: it must be a JSON object.');
  const body = parseJson(bytes);
  if (!(body instanceof Map)) {
    const isOfMany = Array.isArray(body) && path.endsWith('/tasks');
    const batch = isOfMany ? '; send several tasks to `/tasks/batch`' : '';
    throw new Refusal('malformed', say`The body must be a JSON object${batch}.`);
  }
  if (query) readParameters(query, readQuery(originalUrl));
  else refuseParameters(originalUrl);
  return body;
}

/** Reads bytes as JSON; refuses them if they are malformed. */
export function parseJson(bytes: Uint8Array): Json {
  try {
    return readJson(bytes, { depth: 32, keys: 2000 });
  } catch (error) {
    throw error instanceof JsonRefusal ? new Refusal('malformed', error.message) : error;
  }
}

/** A document that people write, and the query parameters of its request. */
export interface SentDocument<Query> {
  readonly text: string;
  readonly query: Query;
}

const MAX_DOCUMENT = 200_000;
/** RFC 9512. */
export const yamlType = 'application/yaml';

const documentTooLarge = (): Refusal =>
  new Refusal(
    'too-large',
    say`The definition is longer than ${MAX_DOCUMENT} characters: apply it by the command line with access to the database.`,
  );

/** Reads the request's body as a text in UTF-8 of at most 200,000 characters that is YAML or JSON. */
@Injectable()
class DocumentPipe<Query extends object> implements PipeTransform<
  BodyToRead & { readonly query: Type<Query> },
  Promise<SentDocument<Query>>
> {
  constructor(private readonly bodies: Bodies) {}

  async transform({
    request,
    query,
  }: BodyToRead & { readonly query: Type<Query> }): Promise<SentDocument<Query>> {
    const types = [jsonType, yamlType];
    // A character has at most three bytes.
    const bytes = await this.bodies.read(request, 3 * MAX_DOCUMENT, types).catch((error: unknown) => {
      throw error instanceof Refusal && error.kind === 'too-large' ? documentTooLarge() : error;
    });
    const text = textOf(bytes, requireType(request, types));
    if (text.length > MAX_DOCUMENT) throw documentTooLarge();
    return { text, query: readParameters(query, readQuery(request.originalUrl)) };
  }
}

function textOf(bytes: Buffer, type: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (type === jsonType) JSON.parse(text);
    return text;
  } catch {
    throw new Refusal('malformed', type === jsonType ? 'The body is not JSON.' : 'The body is not UTF-8.');
  }
}

const RequestBody = createParamDecorator(
  (wanted: Wanted, context: ExecutionContext): BodyToRead => ({
    ...wanted,
    request: context.switchToHttp().getRequest<Request>(),
  }),
  [ValidatesQuery, ReadsBody],
);

/** The body of a request as a JSON object; `query` is the class of its query parameters, if it takes any. */
export const JsonPayload = (query?: Type<object>): ParameterDecorator =>
  RequestBody({ query }, JsonPayloadPipe);

/** The body of a request as a JSON object of at most 1 MB. */
export const SmallJsonPayload = (query?: Type<object>): ParameterDecorator =>
  RequestBody({ query, limit: 1_000_000 }, JsonPayloadPipe);

/** The body of a request as a text that is YAML or JSON, with its query: a `SentDocument`. */
export const YamlDocument = (query: Type<object>): ParameterDecorator => RequestBody({ query }, DocumentPipe);
