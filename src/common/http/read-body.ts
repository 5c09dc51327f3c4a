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

type ReadBody = (request: Request, bodies: Bodies, config: Config) => Promise<unknown>;

interface BodyToRead {
  readonly request: Request;
  readonly read: ReadBody;
}

/** Reads the body of a request after the guards have accepted the request. */
@Injectable()
class BodyPipe implements PipeTransform<BodyToRead, Promise<unknown>> {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly bodies: Bodies,
  ) {}

  transform({ request, read }: BodyToRead): Promise<unknown> {
    return read(request, this.bodies, this.config);
  }
}

const RequestBody = createParamDecorator(
  (read: ReadBody, context: ExecutionContext): BodyToRead => ({
    request: context.switchToHttp().getRequest<Request>(),
    read,
  }),
  [ValidatesQuery, ReadsBody],
);

/** The body as a JSON object of at most `limit` bytes. `query` is the class of query parameters, if any. */
export const JsonPayload = (query?: Type<object>, limit?: number): ParameterDecorator =>
  RequestBody(
    async (request: Request, bodies: Bodies, { maxBodyBytes }: Config) =>
      readObject(await bodies.read(request, limit ?? maxBodyBytes), request, query),
    BodyPipe,
  );

/** The body of a request as a JSON object of at most 1 MB. */
export const SmallJsonPayload = (query?: Type<object>): ParameterDecorator => JsonPayload(query, 1_000_000);

function readObject(bytes: Buffer, { path, originalUrl }: Request, query?: Type<object>): JsonObject {
  if (bytes.length === 0) throw new Refusal('malformed', 'The body is empty: it must be a JSON object.');
  const body = parseJson(bytes);
  if (!(body instanceof Map)) {
    const isOfMany = Array.isArray(body) && path.endsWith('/tasks');
    const batch = isOfMany ? '; send several tasks as lines to `/tasks/batch`' : '';
    throw new Refusal('malformed', say`The body must be a JSON object${batch}.`);
  }
  if (query) readParameters(query, readQuery(originalUrl));
  else refuseParameters(originalUrl);
  return body;
}

/** Parses bytes as JSON. Refuses malformed JSON (400). */
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
/** The media type of YAML (RFC 9512). */
export const yamlType = 'application/yaml';

/** The body as YAML or JSON of at most 200,000 characters, and the query, as a `SentDocument`. */
export const YamlDocument = (query: Type<object>): ParameterDecorator =>
  RequestBody(async (request: Request, bodies: Bodies) => {
    const types = [jsonType, yamlType];
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const bytes = await bodies.read(request, 3 * MAX_DOCUMENT, types).catch((error: unknown) => {
      throw error instanceof Refusal && error.kind === 'too-large' ? documentTooLarge() : error;
    });
    const text = textOf(bytes, requireType(request, types));
    if (text.length > MAX_DOCUMENT) throw documentTooLarge();
    return { text, query: readParameters(query, readQuery(request.originalUrl)) };
  }, BodyPipe);

const documentTooLarge = (): Refusal =>
  new Refusal(
    'too-large',
    say`The definition is longer than ${MAX_DOCUMENT} characters: use the command wts apply, which writes to the database directly.`,
  );

function textOf(bytes: Buffer, type: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (type === jsonType) JSON.parse(text);
    return text;
  } catch {
    throw new Refusal('malformed', type === jsonType ? 'The body is not JSON.' : 'The body is not UTF-8.');
  }
}
