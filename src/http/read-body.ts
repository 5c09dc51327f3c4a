import { parse as parseContentType } from 'content-type';
import { type Request } from 'express';
import { Refusal } from '../lib/errors.js';
import { type BodyLease, type BodyRequest, BodyRoom, SMALL_BYTES, BODIES } from './body-room.js';
import {
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { CONFIG, type Config } from '../config.js';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { JsonRefusal, readJson } from '../../packages/exact-json/read-json.js';
import { ReadsBody, ValidatesQuery, readQuery, refuseParameters } from '../ops/query.js';
import { readParameters } from './query.decorator.js';
import { type Message, say } from '../lib/message.js';

/** Reads the request's body as one JSON object, after the guards have let the request in. */
@Injectable()
export class JsonPayloadPipe implements PipeTransform<AskedPayload, Promise<JsonObject>> {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(BODIES) private readonly room: BodyRoom,
  ) {}

  async transform(asked: AskedPayload): Promise<JsonObject> {
    return readObject(asked, this.config.maxBodyBytes, this.room);
  }
}

/** Reads a body of at most 1 MB; the limit for bodies of tasks may be higher. */
@Injectable()
export class SmallJsonPayloadPipe implements PipeTransform<AskedPayload, Promise<JsonObject>> {
  constructor(@Inject(BODIES) private readonly room: BodyRoom) {}

  async transform(asked: AskedPayload): Promise<JsonObject> {
    return readObject(asked, 1_000_000, this.room);
  }
}

/** A request with a JSON body, and the class of its query parameters, if it takes any. */
interface AskedPayload {
  readonly request: Request;
  readonly query: Type<object> | undefined;
}

async function readObject(
  { request, query }: AskedPayload,
  limit: number,
  room: BodyRoom,
): Promise<JsonObject> {
  const bytes = await readBody(request, limit, room);
  if (bytes.length === 0) throw new Refusal('malformed', 'The body is empty: it must be a JSON object.');
  const body = parseJson(bytes);
  if (!(body instanceof Map)) {
    const isOfMany = Array.isArray(body) && request.path.endsWith('/tasks');
    const batch = isOfMany ? '; send several tasks to `/tasks/batch`' : '';
    throw new Refusal('malformed', say`The body must be a JSON object${batch}.`);
  }
  // Faults of the body are reported before faults of the query.
  if (query) readParameters(query, readQuery(request.originalUrl));
  else refuseParameters(request.originalUrl);
  return body;
}

/** A document that people write, and the query parameters of its request. */
export interface SentDocument<Query> {
  readonly text: string;
  readonly query: Query;
}

const MAX_DOCUMENT = 200_000;

const documentTooLarge = (): Refusal =>
  new Refusal(
    'too-large',
    say`The definition is longer than ${MAX_DOCUMENT} characters: apply it by the command line with access to the database.`,
    { Connection: 'close' },
  );

/** Reads the request's body as a text in UTF-8 of at most 200,000 characters that is YAML or JSON. */
@Injectable()
class DocumentPipe<Query extends object> implements PipeTransform<
  AskedDocument<Query>,
  Promise<SentDocument<Query>>
> {
  constructor(@Inject(BODIES) private readonly room: BodyRoom) {}

  async transform({ request, query }: AskedDocument<Query>): Promise<SentDocument<Query>> {
    const types = [jsonType, yamlType];
    // A character has three bytes at most.
    const bytes = await readBody(request, 3 * MAX_DOCUMENT, this.room, types).catch((error: unknown) => {
      throw error instanceof Refusal && error.kind === 'too-large' ? documentTooLarge() : error;
    });
    const text = textOf(bytes, requireType(request, types));
    if (text.length > MAX_DOCUMENT) throw documentTooLarge();
    return { text, query: readParameters(query, readQuery(request.originalUrl)) };
  }
}

interface AskedDocument<Query extends object> extends AskedPayload {
  readonly query: Type<Query>;
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

/** The body of a request as a JSON object; `query` is the class of its query parameters, if it takes any. */
export const JsonPayload = (query?: Type<object>): ParameterDecorator => Asked(query, JsonPayloadPipe);

/** The body of a request as a JSON object of at most 1 MB. */
export const SmallJsonPayload = (query?: Type<object>): ParameterDecorator =>
  Asked(query, SmallJsonPayloadPipe);

/** The body of a request as a text that is YAML or JSON, with its query: a `SentDocument`. */
export const YamlDocument = (query: Type<object>): ParameterDecorator => Asked(query, DocumentPipe);

const Asked = createParamDecorator(
  (query: Type<object> | undefined, context: ExecutionContext): AskedPayload => ({
    request: context.switchToHttp().getRequest<Request>(),
    query,
  }),
  [ValidatesQuery, ReadsBody],
);

/** Reads bytes as JSON, or refuses them as malformed. */
export function parseJson(bytes: Uint8Array): Json {
  try {
    return readJson(bytes, { depth: 32, keys: 2000 });
  } catch (error) {
    throw error instanceof JsonRefusal ? new Refusal('malformed', error.message) : error;
  }
}

/**
 * Reads a request's body whole. Refuses other types than these, JSON by default (415), and a body that is too large
 * (413). The body counts against the memory for bodies until the answer is sent.
 */
export async function readBody(
  request: BodyRequest,
  limit: number,
  room: BodyRoom,
  types: readonly string[] | typeof anyType = [jsonType],
): Promise<Buffer> {
  requireType(request, types);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const lease = room.of(request);
  try {
    await lease.begin(isChunked(request) ? SMALL_BYTES : announced);
    if (request.headers.expect !== undefined) request.res?.writeContinue();
    return await collect(request, { limit, announced, lease });
  } catch (error) {
    lease.end();
    throw error;
  }
}

const isChunked = ({ headers }: Request): boolean => headers['transfer-encoding'] !== undefined;

const jsonType = 'application/json';
/** RFC 9512. */
export const yamlType = 'application/yaml';
/** Allows any media type. */
export const anyType = 'any';

/** The media type of a request's body, JSON where it names none; refuses other types than these (415). */
export function requireType({ headers }: Request, types: readonly string[] | typeof anyType): string {
  const { type, parameters } = parseType(headers['content-type'] ?? jsonType);
  if (types !== anyType && !types.includes(type))
    throw unsupported(say`The body must be ${types.join(' or ')}.`);
  if (!/^utf-?8$/i.test(parameters['charset'] || 'utf-8')) throw unsupported('The body must be UTF-8.');
  const isCompressed = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isCompressed || /[^,\s]\s*,/.test(headers['transfer-encoding'] ?? ''))
    throw unsupported('The body must not be compressed.');
  return type;
}

/** Most requests name only JSON, without parameters. */
function parseType(header: string): Pick<ReturnType<typeof parseContentType>, 'type' | 'parameters'> {
  return header === jsonType ? { type: jsonType, parameters: {} } : parseContentType(header);
}

const unsupported = (said: Message): Refusal => new Refusal('unsupported-media-type', said);

const tooLarge = (limit: number): Refusal =>
  new Refusal(
    'too-large',
    say`The body is larger than ${limit} bytes: upload files as multipart/form-data, or give their URLs as remoteUrl.`,
    { Connection: 'close' },
  );

interface Collected {
  readonly limit: number;
  readonly announced: number;
  readonly lease: BodyLease;
}

/** Uses events: for a small body, an async iterator would cost more than all other work. */
function collect(request: Request, { limit, announced, lease }: Collected): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.allocUnsafe(Math.min(announced, SMALL_BYTES));
    let length = 0;
    const fail = (error: Error): void => {
      idle.stop();
      request.off('data', take).off('close', lose).pause();
      reject(error);
    };
    // A body that holds memory has to keep arriving.
    const idle = new IdleTimeout(fail);
    const take = (chunk: Buffer): void => {
      idle.count(chunk.length);
      const before = length;
      length += chunk.length;
      if (length > limit) {
        fail(tooLarge(limit));
        return;
      }
      bytes = withRoom(bytes, before, length, announced);
      chunk.copy(bytes, before);
      const admitted = lease.grow(length);
      if (admitted) wait(admitted);
    };
    const wait = (admitted: Promise<void>): void => {
      idle.stop();
      request.pause();
      admitted.then(() => {
        idle.start();
        request.resume();
      }, fail);
    };
    const end = (): void => {
      idle.stop();
      request.off('close', lose);
      resolve(bytes.subarray(0, length));
    };
    // The client left before the body was complete: nothing can be answered or trusted.
    const lose = (): void => {
      fail(new Refusal('malformed', 'The body ended early.'));
    };
    idle.start();
    if (request.destroyed) lose();
    else request.on('data', take).once('end', end).once('close', lose);
  });
}

/**
 * A buffer that begins with these bytes and has room for `needed`. A large body gets its full announced size at once,
 * so that it is rarely copied; the system allocates untouched memory only when it is written to.
 */
function withRoom(bytes: Buffer, length: number, needed: number, announced: number): Buffer {
  if (needed <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(announced >= needed ? announced : Math.max(needed, 2 * bytes.length));
  bytes.copy(larger, 0, 0, length);
  return larger;
}

/** The bytes of a body, read on demand. Throws when the client leaves or sends nothing for 30 s. */
export async function* unstalled(request: Request): AsyncGenerator<Buffer> {
  // A caller that stops early still has to answer, so the connection must stay open.
  const chunks = request.iterator({ destroyOnReturn: false });
  const idle = new IdleTimeout((refusal) => request.destroy(refusal), anything);
  const { socket } = request;
  // If the answer ends before the body, Node.js drops the request and reports no end of it.
  const lose = (): void => void request.destroy();
  socket.once('close', lose);
  try {
    for (;;) {
      idle.start();
      const next = await chunks.next().finally(() => {
        idle.stop();
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    socket.off('close', lose);
    await chunks.return?.();
  }
}

const anything = { windowMs: 30_000, bytes: 1 };

/** The part of a body that has to arrive in each window of time. */
interface LeastRate {
  readonly windowMs: number;
  readonly bytes: number;
}

const usual: LeastRate = { windowMs: 10_000, bytes: 80_000 };

/** Watches a body: by default, one that takes longer than 10 s has to bring 80 kB in each 10 s. */
export class IdleTimeout {
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly refuse: (refusal: Refusal) => void,
    private readonly least = usual,
  ) {}

  /** Starts or restarts the watch. */
  start(): void {
    this.bytes = 0;
    this.timer = setTimeout(() => {
      if (this.bytes >= this.least.bytes) this.start();
      else this.refuse(new Refusal('too-slow', 'The body arrives too slowly.', { Connection: 'close' }));
    }, this.least.windowMs);
  }

  /** Pauses the watch: while this process reads nothing, the client is not to blame. */
  stop(): void {
    clearTimeout(this.timer);
  }

  count(bytes: number): void {
    this.bytes += bytes;
  }
}
