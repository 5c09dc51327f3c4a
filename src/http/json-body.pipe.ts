import {
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';
import { type Request } from 'express';
import { CONFIG, type Config } from '../config.js';
import { Refusal } from '../lib/errors.js';
import { type Json, type JsonObject } from '../lib/json/json.js';
import { JsonRefusal, readJsonInTurns } from '../lib/json/read-json.js';
import { handlerValidatesQuery, refuseParameters } from '../ops/query.js';
import { BODIES, BodyRoom } from './body-room.js';
import { readBody } from './read-body.js';

/** Reads the request's body as one JSON object, after the guards have let the request in. */
@Injectable()
export class JsonPayloadPipe implements PipeTransform<Request, Promise<JsonObject>> {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(BODIES) private readonly room: BodyRoom,
  ) {}

  async transform(request: Request): Promise<JsonObject> {
    return readObject(request, this.config.maxBodyBytes, this.room);
  }
}

/** Reads a body of at most 1 MB, however large those of tasks may be. */
@Injectable()
export class SmallJsonPayloadPipe implements PipeTransform<Request, Promise<JsonObject>> {
  constructor(@Inject(BODIES) private readonly room: BodyRoom) {}

  async transform(request: Request): Promise<JsonObject> {
    return readObject(request, 1_000_000, this.room);
  }
}

async function readObject(request: Request, limit: number, room: BodyRoom): Promise<JsonObject> {
  const body = await parse(await readBody(request, limit, room));
  if (!(body instanceof Map)) {
    const isOfMany = Array.isArray(body) && request.path.endsWith('/tasks');
    const batch = isOfMany ? '; several tasks go to `/tasks/batch`' : '';
    throw new Refusal('malformed', `The body must be a JSON object${batch}.`);
  }
  // What is wrong with a body is told before what is wrong with a query; no handler takes both.
  refuseParameters(request.originalUrl);
  return body;
}

/** The body of a request as a JSON object. */
export const JsonPayload = (): ParameterDecorator => CurrentRequest(JsonPayloadPipe);

/** The body of a request as a JSON object of at most 1 MB. */
export const SmallJsonPayload = (): ParameterDecorator => CurrentRequest(SmallJsonPayloadPipe);

const CurrentRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Request>(),
  [handlerValidatesQuery],
);

/** Reads bytes as JSON, or refuses them as malformed. */
export async function parse(bytes: Uint8Array): Promise<Json> {
  try {
    return await readJsonInTurns(bytes, { depth: 32, keys: 2000 });
  } catch (error) {
    throw error instanceof JsonRefusal ? new Refusal('malformed', error.message) : error;
  }
}
